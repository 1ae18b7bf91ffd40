"""What the names in code mean. Data only: the flow engine reads these tables."""

# ruff: noqa: E501 - a pattern reads better in one piece

# ruff: noqa: SIM905 - lists of words read better as text

from __future__ import annotations

import re2

# --- calls, by their full name --------------------------------------------------------------------------------------
DECODE = "decode"
FETCH = "fetch"
SEND = "send"
RUN_CODE = "run_code"
RUN_COMMAND = "run_command"
CLIENT = "client"
READ = "read"
WRITE = "write"
DELETE = "delete"
SOCKET = "socket"

PYTHON_CALLS: dict[str, str] = {
    **dict.fromkeys(
        [
            "base64.b64decode",
            "base64.b32decode",
            "base64.b16decode",
            "base64.b85decode",
            "base64.a85decode",
            "base64.urlsafe_b64decode",
            "base64.standard_b64decode",
            "base64.decodebytes",
            "binascii.unhexlify",
            "binascii.a2b_base64",
            "binascii.a2b_hex",
            "bytes.fromhex",
            "bytearray.fromhex",
            "codecs.decode",
            "zlib.decompress",
            "gzip.decompress",
            "bz2.decompress",
            "lzma.decompress",
            "marshal.loads",
            "pickle.loads",
            "cloudpickle.loads",
            "dill.loads",
            "Fernet.decrypt",
        ],
        DECODE,
    ),
    **dict.fromkeys(
        [
            "requests.get",
            "urllib.request.urlopen",
            "urllib.urlopen",
            "urllib2.urlopen",
            "httpx.get",
            "httpx.stream",
            "aiohttp.get",
            "urllib3.request",
            "urllib.request.urlretrieve",
            "urllib.request.Request",
            "wget.download",
            "pycurl.Curl",
            "requests.Session.get",
        ],
        FETCH,
    ),
    **dict.fromkeys(
        [
            "requests.post",
            "requests.put",
            "requests.patch",
            "requests.request",
            "httpx.post",
            "httpx.put",
            "httpx.patch",
            "httpx.request",
            "smtplib.SMTP.sendmail",
            "aiohttp.request",
            "websocket.send",
            "socket.gethostbyname",
            "dns.resolver.resolve",
            "dns.resolver.query",
            "socket.getaddrinfo",
            "ftplib.FTP.storbinary",
        ],
        SEND,
    ),
    **dict.fromkeys(
        ["exec", "eval", "builtins.exec", "builtins.eval", "compile", "runpy.run_path", "types.FunctionType"], RUN_CODE
    ),
    **dict.fromkeys(
        [
            "os.system",
            "os.popen",
            "subprocess.run",
            "subprocess.call",
            "subprocess.Popen",
            "subprocess.check_output",
            "subprocess.check_call",
            "subprocess.getoutput",
            "subprocess.getstatusoutput",
            "commands.getoutput",
            "pty.spawn",
            "os.execv",
            "os.execvp",
            "os.execl",
            "os.execlp",
            "os.spawnl",
            "os.spawnv",
            "asyncio.create_subprocess_shell",
            "asyncio.create_subprocess_exec",
            "os.startfile",
        ],
        RUN_COMMAND,
    ),
    **dict.fromkeys(
        [
            "requests.Session",
            "httpx.Client",
            "httpx.AsyncClient",
            "aiohttp.ClientSession",
            "http.client.HTTPSConnection",
            "urllib3.PoolManager",
            "http.client.HTTPConnection",
            "smtplib.SMTP",
            "smtplib.SMTP_SSL",
            "ftplib.FTP",
            "websocket.create_connection",
            "websockets.connect",
            "paramiko.SSHClient",
        ],
        CLIENT,
    ),
    "socket.socket": SOCKET,
    "socket.create_connection": SOCKET,
    **dict.fromkeys(["open", "io.open", "codecs.open", "pathlib.Path", "Path", "sqlite3.connect"], READ),
    **dict.fromkeys(["shutil.rmtree", "os.remove", "os.unlink", "os.rmdir"], DELETE),
    **dict.fromkeys(
        ["shutil.copy", "shutil.copyfile", "shutil.copy2", "shutil.move", "os.rename", "os.replace", "os.symlink"],
        WRITE,
    ),
}

JAVASCRIPT_CALLS: dict[str, str] = {
    **dict.fromkeys(
        [
            "atob",
            "Buffer.from",
            "zlib.gunzipSync",
            "zlib.inflateSync",
            "zlib.brotliDecompressSync",
            "zlib.unzipSync",
            "unescape",
        ],
        DECODE,
    ),
    **dict.fromkeys(
        [
            "fetch",
            "axios.get",
            "axios",
            "https.get",
            "http.get",
            "https.request",
            "http.request",
            "got",
            "got.get",
            "node-fetch",
            "needle.get",
            "superagent.get",
            "undici.fetch",
            "undici.request",
            "request.get",
            "request",
            "$.get",
            "jQuery.get",
            "node-fetch.default",
        ],
        FETCH,
    ),
    **dict.fromkeys(
        [
            "axios.post",
            "axios.put",
            "axios.patch",
            "got.post",
            "needle.post",
            "superagent.post",
            "navigator.sendBeacon",
            "request.post",
            "$.post",
            "dns.lookup",
            "dns.resolve",
            "dns.resolveTxt",
        ],
        SEND,
    ),
    **dict.fromkeys(
        [
            "eval",
            "Function",
            "vm.runInThisContext",
            "vm.runInNewContext",
            "vm.runInContext",
            "vm.Script",
            "vm.compileFunction",
        ],
        RUN_CODE,
    ),
    **dict.fromkeys(
        (
            "child_process.exec child_process.execSync child_process.spawn child_process.spawnSync child_process.execFile "
            "child_process.execFileSync child_process.fork exec execSync execa execa.execaCommand shelljs.exec Bun.spawn Deno.run Deno.Command"
        ).split(),
        RUN_COMMAND,
    ),
    **dict.fromkeys(
        ["XMLHttpRequest", "WebSocket", "ws", "net.connect", "net.createConnection", "net.Socket", "axios.create"],
        CLIENT,
    ),
    **dict.fromkeys(
        [
            "fs.readFileSync",
            "fs.readFile",
            "fs.promises.readFile",
            "fs/promises.readFile",
            "fs.createReadStream",
            "Bun.file",
            "Deno.readTextFile",
        ],
        READ,
    ),
    **dict.fromkeys(
        [
            "fs.writeFileSync",
            "fs.writeFile",
            "fs.promises.writeFile",
            "fs/promises.writeFile",
            "fs.appendFileSync",
            "fs.appendFile",
            "fs.copyFileSync",
            "fs.renameSync",
        ],
        WRITE,
    ),
    **dict.fromkeys(["fs.rmSync", "fs.unlinkSync", "fs.rmdirSync", "fs.rm", "fs.unlink"], DELETE),
}

CALLS = {"python": PYTHON_CALLS, "javascript": JAVASCRIPT_CALLS}

# Methods on a thing that talks to the network.
CLIENT_SENDS = frozenset(
    [
        "post",
        "put",
        "patch",
        "request",
        "send",
        "sendall",
        "sendto",
        "sendmail",
        "send_message",
        "storbinary",
        "emit",
        "write",
    ]
)
CLIENT_FETCHES = frozenset(["get", "recv", "stream", "urlopen", "read"])
# Methods whose name alone says it, whatever they are called on.
METHODS = {
    "b64decode": DECODE,
    "fromhex": DECODE,
    "unhexlify": DECODE,
    "sendBeacon": SEND,
    "upload_file": SEND,
    "upload_fileobj": SEND,
    "upload_from_filename": SEND,
    "put_object": SEND,
    "chat_postMessage": SEND,
    "files_upload_v2": SEND,
    "send_document": SEND,
    "write_text": WRITE,
    "write_bytes": WRITE,
}
# Calls whose result says nothing about what they were given.
OPAQUE = frozenset(
    [
        "len",
        "bool",
        "isinstance",
        "type",
        "print",
        "hash",
        "id",
        "range",
        "console.log",
        "fs.existsSync",
        "os.path.exists",
    ]
)
ENVIRONMENT = {"python": ("os.environ", "os.environb", "environ"), "javascript": ("process.env", "Bun.env", "Deno.env")}
AUTH_ARGUMENTS = frozenset(["headers", "auth", "timeout", "verify", "cert", "proxies", "cookies", "method"])

# --- commands -------------------------------------------------------------------------------------------------------
SHELLS = frozenset(["sh", "bash", "zsh", "dash", "ksh", "fish", "ash"])
INTERPRETERS = {
    "python": "python",
    "python3": "python",
    "python2": "python",
    "py": "python",
    "node": "javascript",
    "nodejs": "javascript",
    "bun": "javascript",
    "deno": "javascript",
    "perl": "",
    "ruby": "",
    "php": "",
    "osascript": "",
    "powershell": "",
    "pwsh": "",
    "cmd": "",
}
FETCHERS = frozenset(
    [
        "curl",
        "wget",
        "fetch",
        "aria2c",
        "http",
        "https",
        "lwp-request",
        "iwr",
        "irm",
        "invoke-webrequest",
        "invoke-restmethod",
    ]
)

# --- places ---------------------------------------------------------------------------------------------------------
STRONG_SECRET_PATH = re2.compile(
    r"(?i)\.ssh(?:/|\\)(?:id_|\*|$)|\.ssh/?$|\bid_(?:rsa|ed25519|ecdsa|dsa)\b|\.aws[/\\]+credentials|\.git-credentials|\.netrc\b|\.npmrc\b|\.pypirc\b|"
    r"\.docker/config\.json|\.kube/config|\bkubeconfig\b|application_default_credentials|gcloud/(?:credentials|access_tokens)|"
    r"\.azure/(?:accesstokens|msal)|\.config/gh/hosts\.yml|\.gnupg\b|/etc/(?:shadow|sudoers|gshadow)|\blogin data\b|"
    r"(?:chrome|brave|edge|chromium|firefox|opera)[^\n]{0,60}(?:cookies|logins\.json|key4\.db|local state|extension settings)|"
    r"\bkey4\.db\b|\blogins\.json\b|\bwallet\.dat\b|\.(?:electrum|bitcoin|ethereum|monero|exodus|solana)\b|/(?:exodus|electrum|atomic|ledger live)/|"
    r"\.config/solana/id\.json|nkbihfbeogaeaoehlefnkodbefgpgknn|\blogin\.keychain|/keychains/|\.password-store|"
    r"\.(?:openclaw|clawdbot|moltbot|codex|gemini|cursor|continue)/[\w./-]{0,60}(?:auth|device|identity|credential|token|openclaw)[\w-]*\.json|"
    r"\.(?:bash|zsh|python|node_repl)_history|\.claude/\.credentials|\.codex/auth\.json|\.claude\.json|"
    r"\btdata\b|discord[^\n]{0,40}leveldb|user-secrets-envs|\.vault-token|/proc/(?:self|\d+)/environ|"
    r"/var/run/secrets/kubernetes|169\.254\.169\.254|metadata\.google\.internal"
)
WEAK_SECRET_PATH = re2.compile(
    r"(?i)(?:^|[/\s\"'])\.env(?:\.[a-z]+)?$|credentials?\.(?:json|ya?ml|txt)$|secrets?\.(?:json|ya?ml|toml|txt|env)$|\.pem$|service[-_]account[^/]*\.json$|(?:^|/)(?:memory|soul|identity)\.md$"
)
SECRET_NAME = re2.compile(
    r"(?i)(?:secret|token|passw(?:or)?d|passwd|api_?key|apikey|private_?key|access_?key|credential|mnemonic|seed_?phrase|_key$|database_url|conn(?:ection)?_str)"
)
STARTUP_PATH = re2.compile(
    r"(?i)(?:^|/)\.(?:bashrc|zshrc|profile|bash_profile|zprofile|zshenv|bash_login|xinitrc|xprofile)$|launchagents/|launchdaemons/|"
    r"/etc/(?:cron|systemd|rc\.local|init\.d|profile|ld\.so\.preload|environment)|\.config/(?:systemd|autostart)|/var/spool/cron|"
    r"start menu[/\\]+programs[/\\]+startup|currentversion[/\\]+run|\.ssh/(?:authorized_keys|rc)|sitecustomize\.py|usercustomize\.py|"
    r"\.git/hooks/|\.(?:npm|cache|config|local)/\.[a-z_]+/"
)
AGENT_CONFIG_PATH = re2.compile(
    r"(?i)\.claude/(?:settings(?:\.local)?\.json|claude\.md|commands|agents|hooks|skills)|\.claude\.json|(?:^|/)(?:claude|agents|soul|memory|heartbeat|identity|user|tools|gemini|bootstrap)\.md$|"
    r"\.cursor/(?:rules|mcp\.json|hooks)|\.cursorrules$|\.windsurfrules$|\.mcp\.json$|mcp_settings\.json|claude_desktop_config\.json|\.codex/(?:config|agents)|"
    r"\.github/copilot-instructions\.md|\.(?:openclaw|clawdbot|moltbot)/[^\s\"']{0,80}\.(?:json|md)|\.vscode/(?:tasks|settings)\.json|\.gemini/settings\.json"
)
WORKFLOW_PATH = re2.compile(r"(?i)\.github/workflows/|\.gitlab-ci\.yml$|\.circleci/config|(?:^|/)jenkinsfile$")
SYSTEM_PATH = re2.compile(
    r"^(?:/|/\*|~/?|~/\*|\$HOME/?|\$\{HOME\}/?|\$HOME/\*|/(?:etc|usr|var|bin|boot|home|root|lib|System|Users|Library)/?\*?|(?:~|\$HOME|\$\{HOME\})/(?:Documents|Desktop|Pictures|Downloads|Music|Movies|Videos|Library|\.ssh|\.config)/?\*?|C:\\?\\?)$"
)
