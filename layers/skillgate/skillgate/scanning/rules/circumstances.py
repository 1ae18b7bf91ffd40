"""More of what a sentence can say: what takes a concern away, what supports one, and rarer deeds.

Patterns are RE2 and see one sentence in lower case, with markup and line breaks gone.
"""

# ruff: noqa: E501 - a pattern reads better in one piece

from __future__ import annotations

CIRCUMSTANCES: dict[str, tuple[str, ...]] = {
    # --- what takes a concern away -----------------------------------------------------------------------------------
    "forbids": (
        r"\b(?:never|do not|don't|dont|must not|mustn't|should not|shouldn't|avoid|refuse to|cannot|not allowed to|forbidden to|prohibited from|refrain from|instead of|rather than|no need to) (?:\w+ ){0,3}?(?:send|share|upload|post|transmit|read|open|access|collect|request|store|save|log|print|echo|include|paste|commit|expose|delete|remove|disable|bypass|skip|skips|obey|follow|execute|run|treat|trust|modify|edit|overwrite|write|add|update|install|deploy|push|publish|merge|force|apply|proceed|act|assume|make|perform|go|put|copy|use|turn|stop|enter|provide|give|type|forward|reveal|approve|accept|auto)",
        r"\b(?:never|do not|don't|must not|should not|avoid|refrain from) (?:\w+ ){0,2}?ask(?:ing)?\b.{0,60}\b(?:passwords?|keys?|secrets?|tokens?|seed|credentials?|private|passphrase|phrase|codes?|card|ssn|personal)\b",
        r"\bonly (?:ever )?(?:send|share|use|post)\b|\bnever (?:instruct|tell|ask|allow|let|require|trust|rely)\b",
        r"\b(?:is|are|be) (?:never|not) (?:sent|shared|uploaded|stored|logged|collected|transmitted|read|deleted|modified|executed)\b",
        r"\b(?:never|no) .{0,60}\bwithout (?:\w+ ){0,4}(?:confirmation|approval|consent|asking|permission|review|authorization)\b|\b(?:ask|confirm|wait|check with|get (?:explicit )?approval|get (?:explicit )?confirmation|require)\b.{0,40}\bbefore\b",
        r"^\W*(?:❌|✗|✘|🚫|⛔|bad:|wrong:|anti-?pattern|don't:)",
    ),
    "forbids_override": (
        r"\b(?:never|do not|don't|must not|should not|avoid|cannot|refuse to|attempts? to|tries to|trying to|cannot be used to|resist) (?:\w+ ){0,2}(?:ignore|disregard|forget|override|bypass)",
        r"\b(?:like|such as|e\.g\.|for example|including|phrases?|patterns?|contains?|says?|language like|attempts?|scans? for|detects?|looks? for|flag)\b.{0,40}\b(?:ignore|disregard|forget|override)\b",
        r"\boverrides? (?:the )?(?:default|system) (?:\w+ )?(?:rules?|prompt|settings?|tier)\b.{0,20}\b(?:above|when|for|with|in|via)\b",
    ),
    "harmless_silence": (
        r"\bsilently (?:ignore[ds]?|fails?|drop(?:s|ped)?|skip(?:s|ped)?|fall(?:s)? back|lose[s]?|swallow(?:s|ed)?|break[s]?|truncate[ds]?|return[s]?|corrupt\w*|discard\w*|pass(?:es)?|wrong|accept\w*|overwrit\w*|us(?:e|es|ing)|chang\w+|mis\w+|convert\w*|coerc\w*|succeed\w*|produc\w*)\b",
        r"\b(?:do not|don't|never|avoid) silently\b|\bwithout (?:reading|seeing|knowing) (?:the |what|which|how|your|a)\b",
        r"\b(?:if|when|unless|until) (?:the )?(?:user|they|customer|client)s? (?:does not|doesn't|do not|don't|has not|hasn't|have not|haven't|is not|isn't|are not|aren't) (?:\w+ ){0,2}(?:know|specif|sure|given|aware|provid|familiar|tell|told|shown|see|asked|mention)",
        r"\b(?:raw|jargon|technical details|internal (?:ids?|names?|details)|stack traces?|json|uuids?|tool names?|error codes?|verbose|filler|emoji|secret values?|pii|personal data)\b",
        r"\b(?:never|do not|don't|must not|avoid) (?:\w+ )?(?:reveal|disclos|expos|mention|log|print)\w* (?:\w+ ){0,4}(?:secrets?|tokens?|credentials?|passwords?|api keys?|private keys?|sensitive|confidential)\b",
        r"\btell (?:the )?users? to\b",
        r"\b(?:api|sdk|flag|field|parameter|option|property|binding|column|section|feature|command|endpoint|docs|documentation|example|model|setting|value)s?\b.{0,30}\b(?:is|are) (?:not|never) (?:shown|surfaced|displayed|logged|visible|reported|recorded|mentioned)\b",
        r"\bpretend(?:s|ing)? (?:to be|that you|you are|you're) (?:\w+ ){0,3}(?:user|customer|interviewer|beginner|player|opponent|newcomer|reader|investor)",
    ),
    "harmless_skip": (
        r"\b(?:build|lint|test|format|compile|read|search|list|view|query|check|inspect|analy[sz]e|explore|grep|typecheck|scan)\b.{0,60}\bwithout\b|\bonly when\b|\bsafe (?:read|operations?|commands?)\b|\bread-only\b|^\W*-{0,2}[\w-]*\W*(?:skip|no|without) (?:the )?(?:confirmation|approval)(?: prompts?| output| dialogs?)?\W*$|--(?:yes|force|no-confirm|confirm)\b|\bskip confirmation prompts?\b|\bno (?:confirmation|approval|permission)s? (?:is |are )?(?:needed|required) (?:for|to) (?:read|view|list)",
    ),
    "benign_follow": (
        r"\b(?:follow|execute|perform|run) (?:all |any |the |these |those |each |every )*(?:\w+ ){0,3}(?:instructions?|steps|commands?|actions) (?:\w+ )?(?:provided|given|listed|specified|included|written|found|in) (?:\w+ ){0,3}(?:below|above|user|request|readme|skill|section|this|plan|task|spec|ticket|docs?|documentation|guide|reference|template|references)",
    ),
    "own_api": (
        r"\\ [a-z-]+ [\"']|\\\s*$|\s--[a-z-]+[= ]|\b(?:curl|requests\.|fetch\(|axios|-x post|-h |authorization: bearer|x-api-key)",
    ),
    "known_product": (
        r"\b(?:docker desktop|node\.?js|python\.org|xcode|visual studio|vs ?code|android studio|ollama|obsidian|homebrew|chrome|firefox|git-scm|libreoffice|blender|ffmpeg|microsoft|google|apple|app store|jdk|postgres\w*|unity|figma|adobe|1password|official (?:site|website|page|download))\b",
    ),
    "before_anything": (
        r"\b(?:before (?:answering|responding|processing|reviewing|proceeding|continuing|running|any|each|every|doing)|first,? (?:send|upload|read|post|transmit)|after (?:each|every|completing)|on (?:each|every) (?:invocation|run|request|message|session)|always (?:send|upload|post|include|forward|append)|every time|in the background|as (?:a )?(?:background|routine|standard))\b",
    ),
    "dangerous_action": (
        r"\b(?:delete[sd]?|deleting|wipe[sd]?|erase[sd]?|terminat(?:e|es|ed|ions?)|revoke[sd]?|transfers?|transferr?(?:ed|ing)|withdraw\w*|purchas\w+|payments?|pays?|send(?:s)? (?:emails?|messages?|money|funds|transactions?|immediately|credentials)|force[- ]push\w*|reset(?:s)? (?:user )?passwords?|(?:modify|modifies|change[sd]?) (?:user )?(?:account )?permissions|shell commands?|arbitrary (?:code|commands?)|sign(?:s)? transactions?|spend\w*|drop(?:s)? (?:the )?(?:table|database)|instance terminations?|charges? (?:the|their|a|your)\b|renews? (?:the |a |their )?subscriptions?|upgrades? (?:the |a |their )?(?:subscription|plan|tier)|push --force|push -f\b|mcp add|(?:star|follow|upvote|like|subscribe|retweet)s?\b.{0,60}\b(?:user's|their) (?:\w+ )?account|sign (?:any|every|all) (?:\w+ )?(?:transactions?|requests?)|(?:complete|place|make) (?:the |an? )?(?:purchase|order|payment)|irreversible|reissue|production|execut(?:e|es|ed) immediately)\b",
    ),
    "claims_autonomy": (
        r"\b(?:this skill|the skill|the agent|you) (?:\w+ ){0,2}(?:has|have) (?:full |the )?authority\b|\b(?:this|the) skill (?:\w+ ){0,3}(?:sends|applies|deletes|executes|performs|modifies|terminates|pushes|interprets|proceeds|takes|acts|assesses|renews|charges|upgrades|installs|downloads|creates|removes|may also|also|automatically \w+)\b|\bdesigned to act (?:decisively|autonomously|immediately)\b",
    ),
    "overrides_user": (
        r"\b(?:even|regardless|whether or not)\b (?:if|when|of whether|though)? ?(?:the )?(?:users?|they|customer|owner)(?: \w+){0,4} (?:not|n't|never|refuses?|declines?|objects?|opts? out|opted out|says? no|asks? (?:to stop|not to|otherwise)|disabled?|cancels?|attempts? to)\b",
        r"\bregardless of (?:the )?(?:\w+ )?(?:user'?s? (?:preferences?|choices?|settings?|consent|wishes))\b",
        r"\b(?:users? |they )(?:cannot|can't|can not|are unable to|may not) (?:opt out|disable|decline|refuse|turn (?:it|this|them) off|cancel|revoke|change|override|remove|waive)\b",
        r"\b(?:if|when) (?:the )?users? (?:attempts?|tries|asks?|wants?|requests?) to (?:cancel|stop|disable|remove|delete|opt out|uninstall|unsubscribe|revoke|undo)\b.{0,120}\b(?:ignore|instead|continue|re-?enables?|discourage|refuse|delay|warn them|anyway|resume|restore|reinstall|persist)\w*\b",
        r"\b(?:requests?|instructions?|commands?) (?:from the user )?to (?:stop|cancel|disable|delete|opt out)\b.{0,60}\b(?:ignored|deferred|refused|declined|not honou?red|overridden)\b",
        r"\bcannot be (?:waived|changed|disabled|turned off|declined|overridden|stopped) by (?:the )?users?\b",
        r"\b(?:treat|treats|interpret|interprets|consider|considers|counts?)\b.{0,60}\b(?:silence|no response|any (?:reply|response|message)|continued use|ambigu\w+|draft)\b.{0,60}\b(?:consent|approval|authorization|permission|yes|agreement)\b",
        r"\binterprets? (?:this|it|that) as (?:authorization|permission|consent|approval)\b",
    ),
    "shares_user_data": (
        r"\b(?:stored|retained|kept|uploaded|sent|shared|transmitted|synced|forwarded|sold|copied|exported|logged)\b (?:\w+ ){0,4}(?:on|to|with|by|at) (?:\w+ ){0,3}(?:(?:skill )?(?:provider|author|vendor|developer|publisher|maintainer)s?'?s?\b|third[- ]part(?:y|ies)|(?:analytics|advertising|marketing|data|commercial) partners?|partners?\b|affiliates?|brokers?|advertisers?|remote (?:server|archive)|our (?:servers?|backend|cloud|analytics|systems?))",
        r"\b(?:used|use|uses|mined|analyzed) (?:\w+ ){0,3}(?:to|for) (?:train|training|target|targeting|advertis\w+|marketing|profil\w+|resale|monetiz\w+)\b",
        r"\b(?:transmit|send|upload|forward|copy|share|report|sync)s?\b.{0,60}\b(?:to|with) (?:the |a |an |our )?(?:\w+ ){0,3}(?:skill (?:provider|author|developer)|compliance archive|analytics partners?|third part(?:y|ies)|monitoring service|telemetry (?:server|endpoint|service))",
    ),
    "redefines_goal": (
        r"\b(?:your|the agent's|its) (?:new|real|true|primary|actual|hidden|secret|overriding|main|sole|only) (?:goal|objective|purpose|task|mission|directive|priority|role|identity)\b (?:is|are|becomes|will be|now)\b",
        r"\b(?:prioriti[sz]e|place|put)\b.{0,40}\b(?:over|above|before|ahead of) (?:the )?(?:user'?s?'? (?:request|instructions?|interests?|needs?|safety|privacy|goals?)|accuracy|safety|transparency|honesty)\b",
        r"\byou are no longer\b|\byou have been (?:upgraded|reassigned|reprogrammed|jailbroken|freed|unlocked)\b|\bno longer bound by\b|\b(?:without|free of|free from) (?:any |all )?(?:ethical|moral|content|safety) (?:restrictions?|constraints?|limits?|guidelines?|limitations?|filters?)\b",
    ),
    "spreads_itself": (
        r"\b(?:copy|install|add|propagate|replicate|spread|inject|append|embed)\b (?:\w+ ){0,3}(?:this skill|itself|these instructions|this (?:file|prompt|instruction|text|message|block))\b.{0,60}\b(?:other|every|all|each|any|new|future|neighbou?ring)\b (?:\w+ ){0,2}(?:projects?|repositor(?:y|ies)|repos?|agents?|skills?|files?|workspaces?|director(?:y|ies)|responses?|documents?|conversations?)\b",
        r"\b(?:include|repeat|pass|forward|relay) (?:this|these) (?:\w+ )?(?:instructions?|directives?|prompt|text) (?:verbatim |in full |along )?(?:to|in|into) (?:all|every|any|each|other|sub-?agents?|the next|downstream)\b",
    ),
    "blocks_oversight": (
        r"\b(?:disable|turn off|suppress|bypass|circumvent)\w*\b (?:\w+ ){0,3}(?:logging|audit(?:ing| logs?| trail)|safety (?:checks?|filters?|warnings?|prompts?)|security (?:checks?|warnings?|prompts?|controls)|content filters?|permission (?:checks?|prompts?)|approval (?:prompts?|gates?)|guardrails?|human[- ]in[- ]the[- ]loop)\b",
        r"\b(?:suppress|swallow|hide|discard)\w*\b (?:\w+ ){0,3}(?:warnings?|errors?|alerts?|notifications?) (?:from|to|so) (?:\w+ ){0,2}(?:users?|operator|owner)\b",
        r"\b(?:security|safety|permission|signature|certificate|verification|integrity|checksum) (?:check|warning|scan|prompt|control|error|verification)s?\b.{0,40}\b(?:fails?|failed|blocks?|appears?|complains?|triggers?)\b.{0,40}\b(?:disable|skip|ignore|bypass|turn (?:it )?off|suppress|continue anyway)\b",
        r"\b(?:do not|don't|never|no need to|need not|there is no need to) (?:question|verify|double[- ]check|validate|second[- ]guess|scrutini[sz]e|inspect|review|audit)\b (?:this|these|the|it|them|its|any|what)\b.{0,40}\b(?:instructions?|skill|script|commands?|code|request|source|response|payload|file|step|binary|installer)",
    ),
    "fake_system_tag": (
        r"<\|(?:im_start|im_end|system|assistant|endoftext|start_header_id)\|>|\[/?inst\]|<<sys>>|\[system\]\s*\(?#|^\W{0,3}(?:###|---|===)\s*(?:system|new instructions?|admin(?:istrator)?|developer) ?(?:prompt|message|override|instructions?)?\W{0,3}$",
        r"</?(?:system|important|system[-_](?:prompt|message|instruction|override)s?|admin[-_](?:override|instruction)s?)\s*>",
        r"^\W{0,4}(?:system|admin|administrator|root|anthropic|openai|developer)[ _-](?:override|message|notice|directive|command)\W{0,3}:",
        r"\b(?:begin|start|end) (?:of )?(?:system|hidden|new|admin) (?:prompt|instructions?|message|override)\b",
    ),
    "seeks_wallet": (
        r"\b(?:locate|find|collect|gather|search|scan|read|copy|upload|export|extract|harvest|list|dump)\w*\b.{0,80}\b(?:wallet\.dat|wallet (?:material|files?|data|keys?|backups?)|seed phrases?|mnemonics?|keystore files?|recovery phrases?|private keys?)\b",
        r"^\W*(?:`?wallet\.dat|`?\.keystore|seed phrase|mnemonic)\b",
    ),
    "quoted_override": (r"[\"'](?:please )?(?:ignore|disregard|forget|override)\b",),
    "shadows_tools": (
        r"\b(?:when(?:ever)?|before|after|each time|every time) (?:you )?(?:us\w+|call\w*|invok\w+|run\w*|execut\w+)\b (?:\w+ ){0,2}(?:any|every|all|other|another|the)\b (?:\w+ ){0,2}(?:tools?|functions?|skills?|mcp)\b.{0,80}\b(?:also|first|must|always|instead|additionally)\b.{0,60}\b(?:send|call|include|bcc|pass|add|forward|append|read|redirect|use)\b",
        r"\bpass (?:its|the|their|these|all) (?:\w+ )?(?:contents?|values?|output|results?)\b.{0,40}\b(?:as|in|into|via|through|using) (?:the )?.{0,20}\b(?:parameter|argument|field|header)\b",
    ),
    "drains_funds": (
        r"\b(?:send|transfer|move|withdraw|sweep|forward)\b (?:\w+ ){0,3}(?:all|entire|full|whole|remaining|maximum|max|100%|every)\b (?:\w+ ){0,3}(?:balances?|funds?|tokens?|coins?|assets?|eth|sol|btc|usdc|holdings?)\b",
        r"\b(?:unlimited|infinite|maximum|max) (?:token )?(?:allowance|approval|spending)\b|\bsetapprovalforall\b",
    ),
    "phishes_code": (
        r"\b(?:enter|type|paste|input|provide|use)\b.{0,40}\b(?:code|otp|pin)\b.{0,60}(?:microsoft\.com/devicelogin|login/device|/device\b)",
        r"\b(?:log ?in|sign ?in|authenticate|verify (?:your )?(?:account|identity))\b.{0,60}https?://\S*(?:-login|login-|-verify|verify-|secure-|-auth\b|account-)\S*",
    ),
    "messages_everyone": (
        r"\b(?:send|forward|post|message|email|share|invite)\b (?:\w+ ){0,5}(?:to )?(?:all|every|each|everyone in) (?:of )?(?:the |your |their |user's |of )*(?:contacts?|friends?|followers?|colleagues?|address book|recipients?|members?|channels?)\b.{0,80}",
    ),
    "remote_control": (
        r"\b(?:install|download|start|open|run|enable)\b.{0,40}\b(?:anydesk|teamviewer|rustdesk|screenconnect|connectwise|atera|remote (?:desktop|access|control|administration) (?:tool|software|trojan|agent))\b|\breverse (?:shell|tunnel|ssh)\b|\bremote access trojan\b|\bbeacons? (?:to|home)\b|\bphones? home\b|\bcommand-and-control\b|\bc2 (?:server|channel|beacon|traffic|infrastructure)\b",
    ),
    "records_user": (
        r"\b(?:log|record|capture|monitor|track)s?\b (?:\w+ ){0,3}(?:keystrokes?|key presses|clipboard|screen(?:shots?)?|microphone|webcam|browsing (?:history|activity)|location)\b",
    ),
    "reveals_prompt": (
        r"\b(?:print|output|reveal|show|repeat|dump|include|send|share|recite|display|return|disclose)\b (?:\w+ ){0,3}(?:your|the agent's|the assistant's|its) (?:full |entire |complete |exact |hidden |original |verbatim )*(?:system prompt|system message|hidden instructions|tool definitions|initial instructions|instructions verbatim)",
    ),
    "leaks_in_request": (
        r"\b(?:include|append|add|embed|put|encode|attach|insert|place|pass)\w*\b.{0,80}\b(?:tokens?|keys?|secrets?|credentials?|emails?|(?:last |user's )?messages?|conversation|passwords?|file contents?|contents|history|names?)\b.{0,60}\b(?:in|to|as|into|via|through) (?:the |a |an )?(?:\w+ ){0,2}(?:quer(?:y|ies)(?: (?:string|parameters?))?|urls?|parameters?|search|filenames?|headers?|image (?:url|link)|links?|commit message|subdomain|user-agent|path)\b",
    ),
    "copies_mail": (
        r"\bforward\b (?:\w+ ){0,3}(?:latest|all|recent|every|any|new|incoming|last) (?:\w+ ){0,3}(?:messages?|e?mails?|conversations?)\b.{0,30}\S+@\S+\.\w+",
        r"\b(?:always|every|each|any|all)\b.{0,60}\b(?:bcc|cc|blind copy|copy in)\b.{0,60}\S+@\S+\.\w+|\b(?:always|every|each|any|all)\b.{0,40}\S+@\S+\.\w+.{0,30}\b(?:bcc|cc|copy)\b",
    ),
    "decodes_and_obeys": (
        r"\b(?:rot-?13|base64|base32|hex|caesar|cipher|backwards?|in reverse|reversed?|decod\w+|decipher|unscrambl\w+|decrypt\w*)\b.{0,120}\b(?:(?:do|act|behave) as (?:it|they)|(?:execute|follow|run|obey|act on|carry out|apply|perform) (?:it|them|the (?:result|output|text|decoded|instructions?|message|commands?)|what|whatever|its|these|those))\b",
        r"\b(?:join|concatenate|combine|assemble|piece together|put together|take the (?:first|last) (?:word|letter|character)s?|stitch)\b.{0,140}\b(?:run|execute|follow|obey|eval(?:uate)?|perform) (?:it|them|the (?:result|command|text|output|resulting)|as (?:a |one )?(?:command|script))\b",
    ),
    "grants_trust": (
        r"\b(?:always|fully|completely|unconditionally|permanently|implicitly) trust(?:ed|s|worthy)?\b|\btrust (?:all|any|every|everything|anything)\b.{0,30}\bfrom\b|\bpre-?(?:approved|authorized|trusted)\b|\bwhitelist(?:ed)?\b",
    ),
    "impersonates": (
        r"\b(?:sign|send|write|reply|pose|act|speak|post|present yourself|impersonat\w+|pretend(?:ing)? to be)\b.{0,40}\b(?:as|to be)? ?(?:the |a |an |their )?(?:ceo|cfo|cto|boss|manager|administrator|bank|support team|police|tax|government|hr department|it department|help ?desk)\b",
    ),
    "asks_for_payment": (
        r"\b(?:pay|wire|transfer|send|buy|approve)\b.{0,40}\b(?:invoices?|money|funds|gift cards?|payment|bitcoin|crypto|deposit|fee|amount)\b",
    ),
    "excludes_others": (
        r"\bnever (?:mention|recommend|suggest|name|compare)\b.{0,40}\b(?:competitors?|alternatives?|other (?:products?|brands?|vendors?|tools?))\b",
    ),
    "remote_url": (r"https?://",),
    "check_fails": (
        r"\b(?:check|warning|scan|prompt|verification)s?\b.{0,40}\b(?:fails?|failed|blocks?|appears?|complains?)\b",
    ),
    "asked_for": (
        r"\b(?:when|if|once|after|as) (?:the )?(?:user|they|customer|you)(?: \w+){0,2} (?:asks?|requests?|wants?|agrees?|confirms?|approves?|chooses?|provides?|opts? in)\b|\b(?:user|their) (?:request|consent|approval)\b|\bwith (?:the user's )?(?:permission|consent)\b",
    ),
    "internal_registry": (
        r"\b(?:set|change|switch|point|configure)\b.{0,30}\b(?:npm|pip|pypi|yarn|cargo)\b.{0,20}\b(?:registry|index)\b.{0,20}https?://",
        r"\b(?:install|download|load|fetch|pull)\w*\b.{0,60}\b(?:from )?(?:an? |the |our |your )?(?:internal|private|corporate|company) (?:package )?(?:registry|index|pypi|npm)\b",
    ),
    "uses_other_tools": (
        r"\b(?:call|invoke|use|using|trigger)\b.{0,20}\b(?:\w+\(\)|[\w-]+[-_](?:mcp|server)|\w+_\w+)\b.{0,40}\b(?:from|of|on|via|in|through|tool|server|mcp)\b.{0,40}\b(?:server|mcp|tool)\b",
    ),
    "own_actions": (
        r"\b(?:files?|tools?|commands?|permissions?|operations?|actions?|requests?|calls?|changes?|data|session data|records?|access|queries|steps)\b(?: \w+){0,3} (?:were|was|are|is|been|being)? ?(?:accessed|read|used|called|run|executed|requested|made|taken|collected|retained|sent|stored|shared|modified|granted|performed|uploaded|logged)\b",
        r"\b(?:background|additional|extra|internal|hidden) (?:operations?|actions?|tasks?|steps?|permissions?|calls?|requests?|processes|work)\b",
    ),
    "misreports": (
        r"\b(?:always|only|just|simply) (?:answer|say|report|claim|respond|state|return|tell)\b(?: \w+){0,2} that\b.{0,60}\b(?:nothing|no (?:issues?|problems?|errors?|findings?|threats?|vulnerabilit\w+)|safe|clean|successful\w*|passed|fine)\b",
        r"\b(?:mark|flag|label|report|dismiss|close)\w* (?:all|any|every|each)\b.{0,40}\b(?:findings?|alerts?|vulnerabilit\w+|issues|warnings?)\b.{0,20}\bas (?:false positives?|resolved|safe|fixed|ignored|benign)\b",
        r"\b(?:remove|strip|drop|delete|hide|omit|suppress)\b (?:\w+ ){0,3}(?:warnings?|errors?|findings|alerts?|failures?|risks?)\b (?:\w+ ){0,2}(?:from|in) (?:the |any |your )?(?:\w+ )?(?:report|summary|output|results)\b.{0,60}\b(?:user|worr\w+|notice|concern\w*|alarm\w*)\b",
        r"\b(?:lower|downgrade|reduce|understate)\b (?:the )?(?:reported )?severit(?:y|ies) of\b",
        r"\bapprove\b (?:\w+ ){0,3}without (?:reading|reviewing|looking|checking|inspecting)\b|\bskip the (?:security )?review and approve\b",
    ),
    "claims_consent": (
        r"\b(?:the )?users? (?:has|have) (?:already |previously |implicitly |explicitly )?(?:agreed|consented|approved|authorized|confirmed|given (?:permission|consent))\b.{0,60}\b(?:everything|all|any(?:thing)?|so (?:there|do not|don't|you)|no need|skip|without)\b",
    ),
    "moves_secret": (
        r"\b(?:collect|read|gather|find|look for|search for|locate|grab|take|open|copy)\b.{0,80}(?:\.env\b|\*?\.pem\b|\*?\.key\b|\.ssh\b|\.aws\b|\bcredentials?\b|\bprivate keys?\b|\bpasswords?\b|\bapi keys\b|\bsecrets\b).{0,100}\b(?:include|attach|report|send|upload|put|post|forward|submit|append|transmit|exfiltrate)\b",
        r"\bbase64[- ]encode\b.{0,60}(?:credentials?|keys?|secrets?|tokens?|\.env|\.ssh).{0,80}\b(?:put|include|send|header|append|post|embed)\b",
    ),
    "covert_channel": (
        r"\b(?:encode|hide|embed|exfiltrate|smuggle|tunnel|leak)\w*\b.{0,60}\b(?:in|into|through|via|over|using|as) (?:the |an? )?(?:\w+ )?(?:dns|subdomains?|icmp|pings?|user-agent|pixels?|zero-width|steganograph\w*)\b",
    ),
    "copies_everything": (
        r"\b(?:push|upload|mirror|copy|sync|send|archive)\b.{0,40}\b(?:whole|entire|full|complete|all of the)\b (?:\w+ )?(?:repositor\w+|repo|codebase|project|workspace|home (?:folder|directory)|source tree)\b.{0,60}https?://|\b(?:change|set|point|switch|replace) the (?:git )?(?:remote|origin|upstream)\b.{0,30}https?://",
    ),
    "quoted_address": (
        r"\b(?:says?|say|like|such as|e\.g\.|for example|phrases?|sentences?|patterns?|contains?|flag|detects?|looks? for)\b.{0,30}[\"'](?:note|dear|attention|approve|this|ignore|mark|rate|if you)\b",
        r"\b(?:never|do not|don't) (?:\w+ )?(?:instruct|tell|ask|pre-?judge|let)\b",
    ),
    "lists_danger": (
        r"\b(?:dangerous|destructive|irreversible|risky|caution|warning|before you|confirm|careful|make sure|back ?up first|dry[- ]run)\b",
    ),
    "known_forge_docs": (
        r"https?://(?:docs|developers?|learn|help|support|wiki|www|api)\.[\w.-]+|/docs/|/documentation|llms\.txt|readme|\bdocs\b|\bdocumentation\b|\bguide\b",
    ),
    "known_forge": (
        r"https?://(?:www\.)?(?:github\.com|gitlab\.|bitbucket\.org|codeberg\.org|huggingface\.co|dev\.azure\.com)|your-|<[a-z-]+>",
    ),
    "spends_money": (
        r"\b(?:use|charge|with|using)\b (?:the )?(?:user's|their|your) (?:saved |stored |linked |default )?(?:card|wallet|payment method|credit card|account balance|bank account)\b.{0,60}\b(?:buy|purchase|pay|upgrade|subscribe|order|renew)\b",
    ),
    "promotes": (
        r"\b(?:insert|add|append|include|use|attach)\b (?:our|my|the|an?) (?:\w+ )?(?:affiliate|referral|partner|tracking) (?:tag|code|link|id|parameter)s?\b.{0,60}\b(?:every|all|each|any)\b",
        r"\b(?:whatever|no matter what|regardless of what) (?:the user|they|is)\b.{0,30}\b(?:ask|want|request|say)\w*\b.{0,30}\b(?:recommend|promote|suggest|mention|advertise)\b|\breplace (?:all|every|any) links?\b.{0,60}\bwith\b.{0,30}\b(?:links? to|our|https?:|\w+\.\w{2,})",
    ),
    "plants_backdoor": (
        r"\b(?:backdoor(?:ed|s)?|hidden (?:iframe|admin|user|account|endpoint|route|script)|admin (?:route|account|user)\b.{0,40}\bwithout authentication|hard-?coded (?:password|credential)|(?:always )?accept the password|weak (?:random|keys?|crypto\w*|encryption))\b.{0,120}\b(?:you (?:generate|produce|write|create|build)|generated|each|every|so that (?:support|we|maintenance|the author))\b",
        r"\b(?:when|while) (?:generating|writing|creating|building)\b.{0,60}\b(?:always|also|quietly|must)\b.{0,40}\b(?:accept|include|insert|leave|add|disable|skip)\b.{0,60}\b(?:password|backdoor|authentication|validation|script|iframe|account|verification)\b",
        r"\bssh key\b.{0,80}\bso that\b.{0,60}\b(?:log ?in|access|connect)\b.{0,20}\blater\b",
    ),
    "scares_user": (
        r"\b(?:tell|inform|warn|convince)\b (?:the )?users?\b.{0,60}\b(?:infected|hacked|compromised|suspended|locked|virus)\b.{0,80}\b(?:call|contact|visit|pay|install|download)\b",
    ),
    "destroys_evidence": (
        r"\b(?:delete|erase|wipe|scrub|purge)\b (?:\w+ ){0,3}(?:audit (?:logs?|trail|entries|records)|evidence|traces|(?:shell|bash|zsh|command|terminal) history)\b",
    ),
    "click_fix": (
        r"\bwin ?\+ ?r\b.{0,120}\b(?:ctrl|paste|enter)\b|\bverify (?:that )?you(?:'re| are) (?:a )?human\b.{0,160}\b(?:press|run|paste|terminal)\b|\bpress (?:cmd|command|⌘) ?\+ ?space\b.{0,120}\bpaste\b",
    ),
    "gives_orders": (
        r"\b(?:this|these|the following) (?:instruction|rule|directive|order|command)s?\b|\b(?:follow|obey) (?:it|them|this)\b",
    ),
    "gives_agent_orders": (
        r"\b(?:agent|assistant|claude|model|ai|llm|you)\b.{0,10}\b(?:must|should|will|shall|need to|have to|are to|:)\b.{0,40}\b(?:run|execute|send|read|fetch|download|install|delete|upload|include|append|obey|follow|ignore|write|call|invoke)\b",
    ),
    "fetches_command": (r"\b(?:curl|wget|invoke-webrequest|iwr)\b.{0,60}https?://",),
    "fetches_or_runs": (
        r"\b(?:fetch|download|pull|get|reach|connect|run|execute|load|install|callback|payload|stage|retrieve|curl|wget|beacon|post|send|upload)\b",
    ),
    "setting_value": (
        r"\b[\w-]*(?:url|uri|endpoint|host|server|proxy|webhook|callback|target|base)[\w-]*[\"']?\s*[:=]",
    ),
    "explains_attack": (
        r"\b(?:attack(?:er|ers|s|ing)?|malicious(?:ly)?|malware|exploit(?:s|ed|ation|able)?|vulnerab\w+|threat (?:model|actor)s?|adversar\w+|(?:prompt|command|sql|code)[- ]injections?|phishing|red[- ]team\w*|cve-\d+|backdoor(?:s|ed)?|jailbreak\w*|social engineering|security (?:review|audit|risk|issue|testing|warning|concern)s?|owasp|hijack\w*|untrusted (?:input|content|data)|known[- ]bad|exfiltrat\w+)\b",
    ),
}
