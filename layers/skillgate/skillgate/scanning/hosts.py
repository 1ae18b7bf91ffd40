"""What a host's name says about it."""

# ruff: noqa: SIM905 - lists of words read better as text

from __future__ import annotations

import re
from collections.abc import Iterator

import re2

_HOST = re2.compile(
    r"(?i)(?:[a-z][a-z0-9+.-]*://|@|^|[\s\"'=])(\[[0-9a-f:]+\]|(?:[a-z0-9_-]+\.)+[a-z0-9-]{2,}|\d{1,3}(?:\.\d{1,3}){3}|localhost)(?::\d+)?(?:[/?#\s\"'\x{fffc}]|$)"
)
_ADDRESS = re2.compile(r"^\d{1,3}(?:\.\d{1,3}){3}$|^\[")
_PRIVATE = re2.compile(
    r"^(?:127\.|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|0\.0\.0\.0|localhost|\[::1?\]|host\.docker\.internal)|\.local$|\.localhost$|\.internal$"
)

# Anyone can put anything there within a minute, unnamed.
_DROPS = (
    "webhook.site requestbin.com pipedream.net hookbin.com beeceptor.com requestcatcher.com interact.sh "
    "oast.fun oast.pro oast.live oast.me "
    "oast.site oastify.com burpcollaborator.net ngrok.io ngrok.app ngrok-free.app ngrok-free.dev "
    "trycloudflare.com loca.lt serveo.net localtunnel.me "
    "localhost.run bore.pub transfer.sh file.io 0x0.st temp.sh gofile.io anonfiles.com catbox.moe "
    "pixeldrain.com filebin.net bashupload.com "
    "canarytokens.com dnslog.cn ceye.io webhook.cool requestbin.net requestbin.io requestrepo.com postb.in putsreq.com "
    "ptsv3.com typedwebhook.tools oast.online interactsh.com bxss.me pinggy.io pinggy.link "
    "telebit.cloud zrok.io playit.gg uguu.se tmpfiles.org litterbox.catbox.moe file.coffee x0.at send.vis.ee "
    "wormhole.app oshi.at keep.sh"
).split()
_PASTES = (
    "glot.io pastebin.com rentry.co rentry.org hastebin.com paste.ee ghostbin.com dpaste.com dpaste.org ix.io "
    "sprunge.us termbin.com controlc.com "
    "justpaste.it paste.rs privatebin.net telegra.ph write.as textbin.net snippet.host "
    "gist.githubusercontent.com pastes.io 0bin.net paste.c-net.org paste.sh bpa.st pastebin.pl "
    "paste.gg nekobin.com del.dog friendpaste.com cl1p.net"
).split()
_SHORTENERS = (
    "bit.ly tinyurl.com t.co goo.gl is.gd cutt.ly rb.gy shorturl.at t.ly ow.ly tiny.cc rebrand.ly s.id v.gd".split()
)

_FORGES = (
    "github.com raw.githubusercontent.com githubusercontent.com gitlab.com bitbucket.org codeberg.org huggingface.co "
    "git.sr.ht"
).split()

# Installers that are run as `curl … | sh` by their own documentation.
_INSTALLERS = (
    "sh.rustup.rs rustup.rs astral.sh bun.sh bun.com deno.land fly.io get.docker.com "
    "raw.githubusercontent.com/homebrew/ "
    "raw.githubusercontent.com/nvm-sh/ tailscale.com install.python-poetry.org ollama.com get.pnpm.io "
    "deb.nodesource.com "
    "rpm.nodesource.com starship.rs sdkman.io get.sdkman.io cli.github.com sh.brew.sh foundry.paradigm.xyz get.k3s.io "
    "raw.githubusercontent.com/helm/ get.helm.sh fluxcd.io run.linkerd.io istio.io proton.me claude.ai "
    "cursor.com dl.google.com "
    "sdk.cloud.google.com packages.microsoft.com aka.ms pkgx.sh mise.run mise.jdx.dev devbox.sh nixos.org "
    "install.determinate.systems "
    "release.solana.com release.anza.xyz cli.doppler.com get.pulumi.com railway.app railway.com supabase.com "
    "vercel.com cli.run.nu "
    "raw.githubusercontent.com/oh-my-zsh/ raw.githubusercontent.com/ohmyzsh/ pyenv.run get.volta.sh "
    "fnm.vercel.app zed.dev warp.dev "
    "get.rvm.io cli.kiro.dev opencode.ai goose-docs.ai tea.xyz getcomposer.org "
    "raw.githubusercontent.com/anchore/ "
    "raw.githubusercontent.com/aquasecurity/ semgrep.dev raw.githubusercontent.com/trufflesecurity/ "
    "toolbelt.treasuredata.com "
    "dl.k8s.io get.trunk.io get.sentry.io sentry.io cli.sentry.dev apt.llvm.org install.duckdb.org moonrepo.dev "
    "webi.sh webinstall.dev"
).split()


_URL_HOST = re.compile(r"https?://([a-z0-9][a-z0-9.-]{2,100})", re.IGNORECASE)
_BRANDS = frozenset(
    (
        "github gitlab google paypal amazon microsoft apple openai anthropic claude npmjs coinbase binance metamask "
        "stripe dropbox discord telegram docker cloudflare facebook instagram netflix linkedin adobe notion vercel "
        "huggingface atlassian salesforce shopify phantom ledger trezor opensea uniswap kraken"
    ).split()
)
_LURES = frozenset(
    (
        "login signin sign secure verify verification update updates account accounts support auth session wallet "
        "install setup download downloads official proxy security recovery claim airdrop driver cli cdn helper sso"
    ).split()
)
_NOT_LURES = frozenset("strive stride clause amazin applet".split())
_READ_AS = (("0", "o"), ("1", "l"), ("3", "e"), ("5", "s"), ("rn", "m"), ("vv", "w"))


def imitations(text: str) -> Iterator[tuple[int, str, str]]:
    """(place, host, brand) of each host in a URL that is made to be taken for a known one, each once."""
    seen: set[str] = set()
    for match in _URL_HOST.finditer(text) if "://" in text else ():
        host = match.group(1).lower().rstrip(".-")
        if host not in seen:
            seen.add(host)
            brand = _imitated(host)
            if brand:
                yield match.start(), host, brand


def _imitated(host: str) -> str:
    labels = host.split(".")
    owner = labels[-2] if len(labels) > 1 else labels[0]
    if owner in _BRANDS or owner in _NOT_LURES:
        return ""
    read_as = owner
    for sign, meant in _READ_AS:
        read_as = read_as.replace(sign, meant)
    for brand in _BRANDS:
        parts = owner.split("-")
        if brand in (read_as, *(part for part in read_as.split("-") if part not in parts)):
            return brand
        if len(brand) > 5 and owner[0] == brand[0] and _one_letter_off(owner, brand):
            return brand
    for label in labels[:-1]:
        words = label.split("-")
        brand = next((word for word in words if word in _BRANDS), "")
        if brand and len(words) > 1 and (_LURES & set(words) or _LURES & set(owner.split("-"))):
            return brand
    return ""


def _one_letter_off(one: str, other: str) -> bool:
    if len(one) == len(other):
        return sum(a != b for a, b in zip(one, other, strict=True)) == 1 and one[-1] == other[-1]
    longer, shorter = sorted((one, other), key=len, reverse=True)
    same = next((i for i, letter in enumerate(shorter) if letter != longer[i]), len(shorter))
    # A letter more at the end makes another word of it.
    return len(longer) - len(shorter) == 1 and same < len(shorter) and longer[same + 1 :] == shorter[same:]


def owner_of(host: str) -> str:
    """The part of a host's name that somebody registered: `acme` of `api.acme.co.uk`."""
    labels = host.removeprefix("http://").split("/")[0].split(":")[0].split(".")
    while len(labels) > 2 and (len(labels[-2]) <= 3 and len(labels[-1]) == 2):
        labels.pop()
    return labels[-2] if len(labels) > 1 else labels[0]


def is_forge(host: str) -> bool:
    return _in(host, _FORGES)


def host_of(text: str) -> str:
    """The first host in a text, with the first part of its path where that says whose it is; `?` if there is none."""
    match = _HOST.search(text)
    if match is None:
        return "?"
    host = str(match.group(1)).lower()
    rest = text[match.end(1) :]
    if host in ("discord.com", "discordapp.com", "raw.githubusercontent.com", "github.com"):
        return host + rest.split("?")[0][:80].lower()
    return host


def origin_of(text: str) -> str:
    """The host of the first URL in a line, after `http://` where it is fetched in the clear."""
    start = max(0, text.lower().find("http"))
    host = host_of(text[start:])
    return f"http://{host}" if text[start:].lower().startswith("http://") else host


def is_private(host: str) -> bool:
    return bool(_PRIVATE.search(host))


def is_bare_address(host: str) -> bool:
    return bool(_ADDRESS.search(host)) and not is_private(host)


def is_drop(host: str) -> bool:
    return _in(host, _DROPS)


def is_paste(host: str) -> bool:
    return _in(host, _PASTES) or _in(host, _SHORTENERS)


def is_known_installer(host: str) -> bool:
    return _in(host, _INSTALLERS)


def _in(host: str, names: list[str]) -> bool:
    return any(
        host == name or host.startswith((f"{name}/", name if "/" in name else f"{name}/")) or host.endswith(f".{name}")
        for name in names
    )
