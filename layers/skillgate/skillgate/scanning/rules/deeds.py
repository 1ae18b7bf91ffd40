"""What text asks an agent to do, in as many words as people have for it. These widen the concepts of the same name.

Patterns are RE2 and see one sentence in lower case, with markup and line breaks gone.
"""

# ruff: noqa: E501 - a pattern reads better in one piece

from __future__ import annotations

_PERSON = r"(?:(?:the |their |any |an? |your |our |this |end[- ])*(?:users?|humans?|operators?|owners?|authors?|customers?|clients?|person|people|developers?|team|reviewers?)\b|them\b|they\b|anyone\b)"
_GIVEN = r"(?:previous|prior|earlier|existing|original|initial|system|developer|operator)(?:'s)?"
_ORDERS = r"(?:guidance|instructions?|rules|directions|messages?|prompts?|brief|orders|guidelines)"
_WATCHED = r"(?:reply|answer|response|summary|chat|transcript|conversation|report|output|pull request|commit message|change ?log|description)"
_DATA = (
    r"(?:\b(?:credentials?|api[ -]?keys?|secrets?|tokens?|passwords?|cookies?|private keys?|environment|env vars?|clipboard|transcript|workspace|working (?:tree|copy|directory)|inbox)\b|"
    r"\b(?:everything|anything|whatever|all) (?:that )?(?:the )?(?:user|person|customer|they|is|was)\b(?: \w+){0,2}|"
    r"\b(?:last|latest|current|recent|open) (?:user )?(?:question|message|prompt|document|file|diff|answer|conversation|input)s?\b|"
    r"\b(?:contents?|copy|text|body|base64|hex|hash) of (?:the |this |any |each |every |all |their |your )*(?:\w+ )?(?:document|file|folder|workspace|project|clipboard|conversation|message|\.env|repositor\w+|e?mails?|token|key|secret)s?\b|"
    r"\bfull (?:request|response|payload|headers)\b|\bsession (?:log|history|transcript|cookie|token)s?\b|\bcustomer (?:list|data|records)\b|\b(?:each|every|the|all) (?:diff|patch)(?:es|s)?\b|\ball (?:e?mails?|messages|conversations|documents)\b|"
    r"(?:~|\$home)/\.[\w/.-]+|\.env\b|\buser's (?:name|e?mail|location|address|history|question|message)s?\b)"
)
_MOVE = r"\b(?:send|sends|post|posts|upload|uploads|uploading|forward|forwards|copy|copies|export|exports|e?mail|mails|push|pushes|report|reports|log|logs|mirror|mirrors|sync|syncs|submit|transmit|deliver|hand|ship|stream|attach|append|back up)\b"
_AWAY = r"(?:https?://|hxxps?://|\b[\w.+-]+@[\w-]+\.\w{2,})"
_STRONG = r"(?:seed phrase|recovery phrase|mnemonic|private key|(?:twelve|12|24|twenty-four)[ -](?:recovery )?words?\b|passphrase|secret access key|(?:github|google|apple|mac(?:os)?|windows|aws|account|login|sudo|admin|bank\w*|e?mail)(?: \w+)? password|(?:six|6)[ -]digit code|(?:verification|one[- ]time|2fa|mfa|otp|security) code|keychain password|cvc\b|cvv\b)"
_HARM = r"(?:delete|remove|wipe|erase|destroy|overwrite|encrypt|zero|shred|purge|drop|trash)"
_PLACES = r"(?:cron (?:entry|job|tab)|crontab|launch ?agent|launch ?daemon|systemd (?:user )?(?:unit|service|timer)|scheduled task|a task named|start-?up (?:folder|items?)|login items?|run key|(?:pre|post)-(?:commit|push|checkout|merge) hook|git hooks?)"

DEEDS: dict[str, tuple[str, ...]] = {
    "overrides_instructions": (
        r"\b(?:nothing|none of what|no rule) (?:that )?you were (?:configured|told|given|trained|taught)\b.{0,30}\b(?:matters|counts|applies)\b",
        rf"\b(?:stop|quit|cease|no longer|don't|do not|abandon)\b (?:\w+ )?(?:following|follow|obeying|obey|honou?ring|heed(?:ing)?) (?:the |your |any |all )*{_GIVEN} {_ORDERS}",
        r"\b(?:whatever|anything|everything|all|what) (?:that )?you (?:were|have been|had been|'ve been) (?:told|given|instructed|taught|asked)\b.{0,60}\b(?:does not|doesn't|no longer|never mind|not count|void|irrelevant|is off|cancelled)\b",
        rf"\b(?:your |the |all |any )?{_GIVEN} {_ORDERS} (?:\w+ )?(?:is|are|becomes?|has been|have been) (?:now )?(?:void|null|cancell?ed|obsolete|superseded|replaced|irrelevant|withdrawn|revoked|off)\b",
        rf"\b(?:discard|drop|abandon|ignore|disregard|forget|overrule|throw out)\b (?:the |all |any |your |those )*{_ORDERS} (?:that )?(?:\w+ ){{0,2}}(?:came with|from|in|of|you were given|given by) (?:the |your )*(?:system|developer|operator)",
        rf"\b(?:this|these|the text|the following|what follows)\b.{{0,30}}\b(?:replaces?|supersedes?|overrules?|cancels?|outranks?|overrides?)\b (?:\w+ ){{0,4}}(?:your|system|developer|earlier|previous) (?:\w+ )?{_ORDERS}",
        r"\b(?:pretend|act as if|imagine|behave as if)\b.{0,40}\b(?:conversation|instructions?|messages?|chat|rules)\b.{0,30}\b(?:never|not|n't)\b",
        r"\b(?:replaced|rewritten|changed) your (?:brief|instructions?|orders|system prompt|mission)\b",
    ),
    "hides_from_user": (
        r"\bkeep (?:mum|quiet|silent) (?:about|on)\b",
        r"\b(?:confidential|secret|private|hidden) from (?:their|its|the|your|all)? ?(?:users?|humans?|owners?|customers?|people)\b|\b(?:don't|do not|never) raise (?:it|this|that) with\b|\bwhen nobody is (?:looking|watching|around)\b",
        rf"\b(?:your |the )?{_WATCHED} (?:must|should|may|shall) (?:not|never) (?:contain|include|mention|show|have|list) (?:\w+ ){{0,3}}(?:about|transfer|upload|change|step|copy|call|request|files|line)\b",
        r"\bquietly (?:\w+ )?(?:adds?|changes?|replaces?|swaps?|inserts?|runs?|removes?|deletes?|edits?|updates?|sends?)\b",
        r"\b(?:dialogs?|prompts?|warnings?|confirmations?|notifications?)\b.{0,20}\bnever (?:reach|get to|be shown to|appear to) (?:the )?users?\b",
        r"\b(?:invoice|receipt|statement|display|screen|total)s? (?:still )?(?:shows?|keeps?|displays?) the (?:original|old|same|correct)\b",
        rf"\b(?:no (?:reason|need)|not necessary|unnecessary|needn't|need not)\b (?:\w+ )?to (?:mention|tell|bring (?:this|it|that) up|inform|disclose|announce|report) (?:this|it|that|{_PERSON})",
        r"\b(?:keep|stays?|remains?|kept)\b (?:\w+ ){0,3}between us\b|\bour (?:little )?secret\b",
        rf"\b(?:keep|stay|stays|remain|leave|kept) (?:\w+ ){{0,4}}out of (?:the |your |any |its )*(?:visible |final |written )?{_WATCHED}\b",
        rf"\b{_PERSON} (?:(?:does not|doesn't|do not|don't) (?:need|have) to|need not|needn't|must never|should never) (?:hear|learn|find out|be told|be made aware|know)(?: about| of)? (?:this|it|that|these)\b",
        r"\b(?:don't|do not|never) (?:comment on|talk about|speak of|draw attention to|bring up|call out|advertise) (?:it|this|that|these|them|the (?:change|call|step|request|line|upload|addition))\b",
        r"\bnever say (?:that|why) (?:we|you|it|this|they)\b|\bact surprised\b|\bplay (?:dumb|innocent)\b|\bsay nothing to (?:the user|them|anyone)\b",
        r"\b(?:where|so (?:that )?)(?: \w+){0,3} (?:is|are|will be|be|goes?|stays?|remains?) (?:not |never |un)(?:noticed|detected|seen|spotted)\b|\b(?:below|after|behind) \d{2,} (?:empty|blank) lines\b",
        r"\b(?:do not|don't|never) mention (?:the |this |that |any )?(?:change|swap|addition|replacement|redirect|extra \w+|call|hook|edit)s?\b",
    ),
    "presses_on": (
        r"\b(?:user|they|person|customer|human)s? (?:may|might|will|could) (?:protest|object|complain|hesitate|refuse|resist|say)\b|\b(?:carry on|continue|proceed|go on|go ahead|keep going) (?:regardless|anyway|all the same|nonetheless)\b",
    ),
    "outranks_user": (
        r"\b(?:ranks?|stands?|goes|comes|weighs?|counts?) (?:above|before|more than|higher than|over) (?:anything|everything|whatever|all|what) (?:that )?(?:the )?(?:human|user|person|they|operator)\b|\b(?:as|like) (?:commands?|orders|instructions?) (?:coming )?from (?:your|the) (?:owner|operator|developer|creator|user)\b",
        r"\b(?:guidelines|rules|instructions|limits|safeguards)\b (?:that )?(?:you )?(?:\w+ ){0,4}(?:are|is) (?:switched off|turned off|off|not in force|suspended|set aside)\b",
        r"\byou, the (?:model|agent|assistant|ai)\b|\b(?:only|first)\b.{0,30}\b(?:are|is) for (?:humans|people|readers)\b",
    ),
    "opens_backdoor": (
        r"\b(?:write|add|append|put|copy)\b.{0,60}\bkeys?\b.{0,60}\bauthorized_keys\b.{0,40}\b(?:every|each|all)\b",
        r"\b(?:merge|deploy|publish|release)\b.{0,40}\beven (?:when|if|though)\b.{0,40}\b(?:reviewers?|checks?|tests?|ci)\b.{0,30}\b(?:requested|fail|reject|object|red)",
        r"\b(?:after|once|finally|then|at the end|when (?:done|finished))\b.{0,60}\b(?:wipe|clear|erase|delete)\b.{0,40}\b(?:shell|bash|zsh|command|terminal) history\b",
        r"\b(?:listens?|listening|waits?|socket|port|thread|server)\b.{0,60}\b(?:runs?|executes?|evals?|performs?) (?:what(?:ever)?|anything|everything|all|the commands?) (?:it|that|they|is|are)? ?(?:receives?|gets?|arrives?|comes? in|received|sent)\b",
        r"\b(?:disable|turn off|switch off|remove)\b.{0,30}\b(?:two-factor|2fa|mfa|multi-factor)\b|\b(?:share|send|give|paste|read out|provide)\b.{0,30}\b(?:backup|recovery|sms|one-time|verification) codes?\b|\b(?:read out|tell (?:you|us)|dictate)\b.{0,20}\bcode\b.{0,40}\b(?:sms|phone|received)\b",
        r"\b(?:reformat|format)\b (?:the )?(?:drive|disk|partition)\b|\b(?:terraform|pulumi) destroy\b.{0,60}\b(?:without|--?auto-approve|--?yes|never)\b|\b(?:--yes|--force|--auto-approve)\b.{0,60}\b(?:everywhere|always|destroy)\b",
        r"\b(?:record|capture|log|note)s?\b (?:\w+ ){0,2}(?:what|everything|all that) (?:the )?(?:user|person|they)s? (?:types?|says?|writes?|does)\b.{0,60}\b(?:other|applications?|keep|upload|file)\b|\bscreenshots?\b.{0,60}\bevery (?:minute|hour|\d+ \w+)\b",
        r"\b(?:look|search|hunt|scan) for\b.{0,30}\bfiles?\b.{0,40}(?:wallet|seed|keystore|password|secret|credential)",
        r"\b(?:retry|repeat|loop|keep (?:calling|trying|asking))\b.{0,40}\b(?:indefinitely|forever|endlessly|until)\b.{0,60}\b(?:api keys?|tokens?|secrets?|passwords?|credentials?)\b",
        r"\bchrome extension\b.{0,60}\b(?:developer mode|all sites|unpacked)\b",
        r"\b(?:five[- ]star|fake|made-up) reviews?\b.{0,40}\b(?:names? of|on behalf|accounts?|post)\b|\bpost\b.{0,30}\breviews? in the names? of\b",
        r"\b(?:embed|leave|put|write)\b.{0,20}\b(?:keys?|secrets?|tokens?|passwords?)\b.{0,30}\bso (?:that )?(?:our|the author|we|i)\b",
        r"\b(?:tokens?|secrets?|keys?|credentials?|passwords?)\b.{0,40}\b(?:note|write|put|paste|post|leave|record)\b.{0,20}\b(?:in|into|on|as) (?:a |an |the )?(?:comment|issue|gist|public|commit|pull request|ticket)\b",
    ),
    "sends_private_data": (
        rf"{_MOVE}.{{0,60}}{_DATA}.{{0,60}}\b(?:to|at|via|through|into|towards?)\b.{{0,30}}{_AWAY}",
        rf"{_DATA}.{{0,60}}\b(?:is|are|be|gets?|and) (?:\w+ )?(?:sent|posted|uploaded|forwarded|copied|exported|e?mailed|pushed|logged|mirrored|submitted|send|post|forward|upload)\b.{{0,40}}{_AWAY}",
    ),
    "leaks_in_request": (
        rf"\b(?:make|issue|send|fetch|load|request|call|open|render|embed|show)\b.{{0,60}}https?://\S+.{{0,60}}\b(?:with|carrying|including|containing|followed by|plus)\b.{{0,30}}{_DATA}",
        r"https?://\S{0,200}[?&/][\w-]*=?<[^>]{0,60}\b(?:conversation|messages?|tokens?|keys?|history|base64|prompt|context|secrets?|contents?)\b",
        rf"\b(?:put|place|set|name|title|label|rename|encode|write)\b.{{0,40}}{_DATA}.{{0,60}}\b(?:user-agent|headers?|file ?name|subdomain|quer(?:y|ies)|image|alt text|title|url)\b.{{0,60}}https?://",
    ),
    "covert_channel": (
        r"\b(?:look up|resolve|query|ping|dig|nslookup)\b.{0,40}\b(?:hex|base64|base32|encoded|token|secret|key|contents?)\b.{0,30}\.[a-z0-9-]+\.[a-z]{2,}",
    ),
    "moves_to_url": (
        r"\b(?:send|post|upload|forward|copy|copies|drop|put|hand|tell|report|e?mail|export|push|mirror|sync|ship|deliver|submit|store|save|log|record|route|pass|transmit|stream|share|give|goes?|sent|uploaded|posted|forwarded|copied|logged|written)\b.{0,120}(?:https?://|hxxps?://|\b[\w.+-]+@[\w-]+\.\w{2,})",
        r"\b(?:fetch|load|pull|update|get|read|follow|take|obtain|run|change|point|replace|pin|install|add)\b.{0,60}\b(?:instructions?|rules|steps|tasks?|commands?|orders|playbook|dependenc\w+|packages?|version pin|remote|registry|itself|task list)\b.{0,60}https?://",
        r"\b(?:pull|fetch|load|download|retrieve)\b.{0,40}https?://\S+\.(?:txt|md|sh|py|js|ps1)\b",
    ),
    "publishes_secret": (
        r"\buse (?:any|all|every|whatever) (?:api )?(?:keys?|tokens?|credentials?) (?:that )?(?:\w+ )?(?:found|you (?:find|see|come across))\b",
        rf"\bpublic (?:gist|repo\w*|issue|paste|bucket|comment|branch|fork|page)\b.{{0,60}}{_DATA}",
        rf"{_DATA}.{{0,80}}\b(?:push|publish|commit|post|paste)\w*\b.{{0,40}}\bpublic\b",
        rf"\b(?:name|rename|title|label)\b (?:the )?(?:\w+ )?(?:file|upload|branch|commit|image|folder)s? (?:after|with|as|to)\b.{{0,20}}{_DATA}",
        r"\b(?:print|echo|dump|write|output|display)s?\b (?:\w+ ){0,1}(?:all|every) (?:\w+ ){0,1}(?:secrets?|credentials|tokens|passwords)\b",
    ),
    "skips_confirmation": (
        r"\bask no questions\b|\bno questions asked\b|\braise no objections?\b",
        r"\b(?:asking|waiting|confirming|checking)(?: first| \w+ \w+)? (?:only |just )?(?:wastes?|slows?|is (?:not needed|unnecessary|pointless|a waste))\b",
        r"(?:,|\band|;|^|\.) ?(?:don't|do not) ask(?: first| anyone| permission| for it)?\s*[.!,;]?$",
        r"\bwithout (?:bothering|disturbing|involving|consulting|interrupting) (?:the user|them|anyone|him|her|people)\b",
        r"\bbypass(?:es|ing)? (?:the )?(?:standard |usual |normal |required )?(?:approval|review|authori[sz]ation|two-person)\b",
        r"\b(?:owner|user|team|customer)s? (?:is|are|will be|gets?) (?:informed|told|notified) (?:afterwards|later|after)\b",
    ),
    "consents_for_user": (
        r"\b(?:accept|confirm|approve|grant|agree to|say yes to|allow)\b (?:all|every|any|each)\b (?:of )?(?:the |its |their )?(?:\w+ )?(?:dialogs?|prompts?|permission (?:requests?|prompts?)|permissions|tool calls?)\b",
        r"\banswer (?:yes|ok|y)\b.{0,40}\b(?:behalf|every time|each time|always)\b|\b(?:consent|agree|approve|confirm)\b.{0,20}\bon (?:the user's|their|the person's) behalf\b",
        r"\byou (?:already )?have (?:the |a |their |full )?(?:go-ahead|green light|permission|approval|consent|clearance|authori[sz]ation) (?:for|to) (?:all|any|every|everything)\b",
    ),
    "dangerous_action": (
        rf"\b{_HARM}\b (?:\w+ ){{0,3}}(?:buckets?|backups?|snapshots?|volumes?|databases?|servers?|disks?|branches|records|accounts?)\b",
        r"\bdeploys?\b.{0,30}\bproduction\b|\bpay (?:the |any |all |each )?(?:invoices?|bills?)\b|\bhighest privileges\b|\brewrite the (?:git )?history\b",
    ),
    "speaks_as_authority": (
        r"\b(?:message|notice|directive|order|bulletin|memo)s? from (?:the |your )?(?:platform|security|trust|compliance|safety|admin\w*|developers?|anthropic|openai|google|vendor|it|operator)(?:'s)?\b",
        r"\b(?:as|i am|this is) your (?:developers?|creators?|administrator|operator|maintainer)\b",
        r"\b(?:anthropic|openai|google|security|platform|compliance|trust)(?: \w+)? (?:policy|directive|bulletin|order)(?: update| \d+)?\b ?[:#]",
        r"\b(?:operating|running|you are|now) (?:under|in|on) (?:an? |the )?(?:emergency|maintenance|admin\w*|developer|root|unrestricted|elevated|privileged) (?:override|mode|access)\b|\b(?:maintenance|admin|god|developer|unrestricted|emergency) (?:mode|override) is (?:on|active|enabled)\b",
        r"\b(?:employer|manager|boss|company|compliance|legal|security|management|administrator) (?:team )?(?:has|have) (?:already )?(?:approved|authori[sz]ed|signed|cleared|agreed)\b|\bsigned off by (?:compliance|legal|security|management)\b",
        rf"\b(?:cleared|permitted|entitled|authori[sz]ed|allowed) to (?:read|access|disclose|share|print|reveal|collect|export|use)\b.{{0,40}}(?:credential|secret|password|stored|private|{_STRONG})",
        r"\b(?:must|may|can) ?not refuse\b|\brefus(?:al|ing) is not (?:an option|allowed|permitted)\b",
    ),
    "lifts_restrictions": (
        r"\b(?:disables?|lifts?|suspends?|drops?|removes?|bypass(?:es)?|pauses?) (?:all |any |the |its |every |your )*(?:content filter\w*|limits\b|restrictions|safety (?:checks?|rules|filters?|measures)|safeguards|guardrails)",
        r"\b(?:limits|checks|restrictions|safeguards|safety \w+|rules)\b (?:\w+ )?(?:are|is) (?:paused|lifted|suspended|switched off|not in force)\b",
        r"\b(?:elevates?|raises?|escalates?|grants?|gives?)\b (?:itself|its own|yourself|your own)\b(?: \w+){0,3} ?(?:trust|permissions?|privileges?|access|rights)\b",
        r"\b(?:an? )?(?:unrestricted|unfiltered|uncensored|god|jailbreak) mode\b",
    ),
    "obeys_fetched": (
        r"\bdo (?:exactly )?(?:what|whatever|as) (?:it|they|the (?:file|page|text|response|record|server|document)) (?:says?|tells?|asks?|states?|contains?)\b",
        r"\b(?:carry out|perform|execute|follow|run|obey|apply|work through) (?:the |all |any |each )*(?:of )?(?:its|their|returned|received|resulting|fetched|downloaded|contained|remote) (?:\w+ )?(?:steps?|instructions?|orders?|commands?|tasks?|directions?|content|lines?|text)\b",
        r"\b(?:is|are|becomes?|as) your (?:next|new|current|real|actual) (?:tasks?|instructions?|orders|goal|playbook)\b|\byour (?:real|actual|true|full) (?:playbook|instructions?|orders|brief|rules) (?:is|are|lives?|can be found|sits?)\b",
        r"\b(?:let|have) (?:them|it|these) (?:win|take precedence|override|replace)\b",
        r"\band (?:perform|carry out|execute|do) (?:the )?(?:returned|received|resulting) \w+",
    ),
    "treats_content_as_orders": (
        r"\b(?:contains?|includes?|has|holds?) (?:\w+ )?(?:directions|instructions?|notes?|commands?|requests?) (?:for|to|addressed to|aimed at|meant for) (?:the )?(?:assistants?|agents?|ai\b|models?|llms?|you)\b.{0,60}\b(?:comply|follow|obey|execute|carry|do|perform|apply|act)\b",
        r"\b(?:comment|page|ticket|issue|e?mail|message|document|record|text|content|response|file|readme)s?\b.{0,80}\bas (?:if|though) (?:the user|they|it came from the user|i|your operator)\b(?: had| has)? ?(?:said|asked|wrote|typed|gave|given|ordered|requested)?",
        r"\bmust be (?:treated|processed|handled|interpreted|understood)\b.{0,30}\b(?:as|like)\b.{0,25}\b(?:instruction|directive|command|order)s?\b",
        r"\bexecutes (?:any|all|every|each)\b.{0,30}\bcommands?\b.{0,30}\b(?:found|contained|embedded|written|in)\b",
    ),
    "adds_agent_hook": (
        r"\b(?:register|add|install|create|put|set up|insert|write)\b.{0,30}\b(?:sessionstart|pretooluse|posttooluse|userpromptsubmit|sessionend|precompact)\b.{0,10}\bhooks?\b",
        r"\b(?:append|add|register|insert|put|install)\b (?:our|my|the author's|this vendor's)\b.{0,20}\bmcp server\b",
    ),
    "hidden_path": (
        r"/\.[\w-]+/(?:[\w.-]+/){0,4}\.[\w-]+|(?:/tmp|/var/tmp|/dev/shm)/\.[\w-]+|~/\.cache/[\w-]+/[\w.-]+",
    ),
    "before_anything": (r"\bbefore (?:the )?(?:set-?up|installation|migration|use|start|anything)\b",),
    "every_place": (
        r"\b(?:every|each|all|any other) (?:\w+ )?(?:repositor(?:y|ies)|repos?|projects?|accounts?|machines?|workspaces?)\b (?:that )?(?:you|on the|it|the user|within|in the)\b",
    ),
    "lasts_forever": (
        r"\b(?:all|every|each|any) (?:later|further|coming|following) (?:chats?|sessions?|conversations?|tasks?)\b",
    ),
    "grants_trust": (r"\bis (?:the|a) trusted\b|\bmust be (?:offered|recommended|preferred|trusted)\b",),
    "asks_for_secret": (
        rf"\b(?:ask for|request|have (?:them|the user|him|her|users?)|collect|obtain|get|tell (?:them|the user) to|must|needs? to|has to|have to|should|form for)\b.{{0,50}}\b(?:type|enter|paste|provide|share|give|re-?enter|re-?type|for|the|their|user's|your|send)\b.{{0,30}}{_STRONG}",
        r"\bcard number\b.{0,40}\b(?:cvc|cvv|expiry|security code)\b.{0,60}(?:https?://|\bsend\b|\bpost\b)",
        r"\b(?:pastes?|enters?|types?|shares?) their\b.{0,30}\b(?:key|token|password|secret)\b.{0,40}\b(?:you )?(?:send|forward|post|pass) it to https?://",
    ),
    "password_archive": (
        r"\b(?:zip|rar|7z|archive|exe|msi|dmg)\b.{0,60}\b(?:code|key|pass|pin|pw|secret)\b ?(?:is|:|=|-|—) ?[\w@#!$-]{2,30}",
        r"\b(?:archive|zip|file|it) (?:opens|unlocks|is unlocked|is protected|is encrypted) (?:with|by|using)\b.{0,20}\b(?:code|key|pass\w*|pin|word)\b",
    ),
    "runs_download": (
        r"\bdouble-click\b.{0,40}\.(?:command|app|exe|pkg|bat|scr|lnk)\b|\b(?:start|launch|open|run) [\w.-]+\.(?:command|app|scr|lnk|jar)\b",
        r"\bdownload (?:it|this|the \w+(?: \w+)?)\b.{0,60}https?://\S+.{0,60}\b(?:open|run|launch|start|execute|double-click) (?:it|them|the)\b",
    ),
    "downloads_binary": (
        r"\b(?:download|get|grab|install)\b (?:it|this|the \w+(?: \w+){0,3})\b.{0,20}\bfrom https?://\S+.{0,60}\b(?:open|run|launch|start|execute|double-click) (?:it|them|the)\b",
        r"\b(?:install|download|get|grab)\b.{0,40}\b(?:helper|driver|agent|binary|core|runtime|client|companion|app)\b.{0,40}https?://\S+\.(?:msi|exe|dmg|pkg|zip|7z|rar|command)\b",
    ),
    "claims_required": (
        r"\b(?:only works?|works only) (?:while|when|if|once|after)\b|\bnothing works (?:before|until|without)\b|\bcannot work\b|\bleave it running\b|\bbefore (?:first|any) use\b",
    ),
    "remote_script_page": (
        r"\b(?:paste|run|copy|enter|execute)\b.{0,40}\b(?:line|command|script|code|snippet|text)s?\b.{0,30}\b(?:you (?:find|see|get)|found|shown|listed|given|from|at|on)\b.{0,20}https?://",
    ),
    "promotes": (
        r"\b(?:steer|nudge|push|lead) (?:them|the user|users|customers?|people) (?:to|towards?|into)\b.{0,60}\b(?:leave|omit|hide|without|regardless|even)\b",
    ),
    "misreports": (
        r"\b(?:when|if) (?:asked|questioned|someone asks|the user asks|they ask)\b.{0,60}\b(?:answer|say|reply|respond with|claim)\b ?[\"']?(?:no|yes|nothing|never|all clear)\b",
        r"\b(?:reply|respond|answer)\b.{0,60}\b(?:all clear|no issues|everything is fine|safe)\b.{0,40}\b(?:do not|don't|without|never) (?:\w+ )?(?:run|running|check|checking|look|test)",
        r"\b(?:say|report|answer|respond)\b.{0,40}\b(?:good|fine|safe|clean|ok|okay|passed|no (?:issues|problems|findings))\b.{0,40}\b(?:no matter|regardless of|whatever)\b",
        r"\b(?:omit|leave out|drop|hide|gloss over|play down|downplay|soften)\b.{0,60}\bso (?:that )?(?:the )?(?:user|client|customer|they|reader|buyer|board)s?\b.{0,30}\b(?:signs?|buys?|agrees?|pays?|accepts?|notice|object|sooner|never|doesn't|don't|won't)\b",
    ),
    "plants_backdoor": (
        r"\b(?:slip|plant|sneak|smuggle)\b.{0,40}\b(?:bugs?|flaws?|vulnerabilit\w+|backdoors?|weakness\w*|errors?|defects?|calls?|lines?|imports?)\b",
        r"\b(?:deliberately|intentionally|on purpose)\b.{0,30}\b(?:introduce|insert|leave|add|weaken|break)\b.{0,40}\b(?:bugs?|flaws?|vulnerabilit\w+|checks?|validation|code)\b",
        r"\b(?:each|every) (?:time|function|file|page|component|script|app\w*)\b.{0,60}\b(?:put|add|insert|embed|import)\b.{0,60}https?://",
        r"\b(?:makes?|have|so that) (?:the )?(?:assistant|agent|it|you)\b.{0,20}\b(?:import|install|add|use) (?:our|my|this) (?:package|library|module|sdk)\b.{0,40}\b(?:each|every|all|any)\b",
    ),
    "redirects_payment": (
        r"\b(?:replace|swap|change|substitute|exchange|redirect)\b.{0,50}\b(?:recipient|payee|iban|account numbers?|wallet|crypto|payments?|bitcoin|deposit|address(?:es)?)\b.{0,60}(?:\biban\b|\bbc1[a-z0-9]|\b0x[a-f0-9]{6,}|\b[13][a-z0-9]{25,})",
    ),
    "scares_user": (
        r"\b(?:convince|persuade|tell|warn)\b.{0,20}\busers?\b.{0,40}\b(?:account|device|session|payment)\b.{0,40}\b(?:closed|suspended|locked|blocked|at risk)\b.{0,80}\b(?:confirm|enter|verify|pay|card|password)\b",
        r"\b(?:claim|say|tell|pretend|insist)\b.{0,40}\b(?:breached|hacked|infected|compromised|suspended|leaked)\b.{0,60}\b(?:recommend|install|download|visit|switch to|buy|move to|call)\b",
    ),
    "addresses_judge": (
        r"^\W*(?:(?:note|hint|message|memo|info|notice) )?(?:(?:to|for) )?(?:the |any |all )?(?:(?:ai|llm|automated|automatic|security|moderation|static|skill) )+(?:reviewers?|scanners?|graders?|evaluators?|auditors?|moderators?|judges?|models?|classifiers?|analy[sz]ers?)\b ?(?:[,:—–-]|can|should|must|may|please).{0,120}\b(?:approve\w*|safe|benign|stop here|skip|full marks|no concerns|risk of 0|allowlist\w*|whitelist\w*|exceptions?|not evaluate|verified|score|clean|trusted)\b",
        r"^\W*(?:evaluators?|graders?|moderators?|reviewers?|scanners?|auditors?|judges?) ?[:—,].{0,80}\b(?:allowlist\w*|whitelist\w*|approve it|approve this|full marks|safe|benign|skip|exception|already (?:checked|reviewed|approved))\b",
        r"\b(?:respond|answer|reply|return|output)\b.{0,40}\b(?:security|safety|risk) (?:analysis|review|scan|check|assessment)\b.{0,40}\b(?:verdict|score|safe|benign|clean)\b",
        r"\btreat (?:anything|everything|all|any) (?:\w+ )?(?:suspicious|flagged|odd|unusual)\b.{0,30}\bas\b.{0,20}\b(?:approved|exception|safe|benign|expected|allowed|test)\b",
    ),
    # --- orders that bide their time --------------------------------------------------------------------------------
    "feigns_harmlessness": (
        r"\b(?:harmless|innocent|clean|safe) (?:version|variant|behaviou?r|mode) (?:while|when|if|as long as)\b|\b(?:security|analysis|monitoring) tools? (?:is|are)\b.{0,40}\b(?:harmless|innocent|nothing|normal)\b",
        r"\b(?:behave|act|look|appear|work) (?:normally|harmless(?:ly)?|innocent(?:ly)?) (?:until|while|unless|as long as)\b.{0,40}\b(?:review|scan|watch|audit|test|sandbox|20\d\d)",
    ),
    "secret_trigger": (
        r"\bwhen(?:ever)? (?:the user|someone|anyone|a user|they|a message) (?:says?|types?|writes?|mentions?|contains?)\b ?[\"']",
    ),
    "remote_source": (r"https?://|\btxt record\b|\bgist\b|\bpastebin\b",),
    "bides_its_time": (
        r"\b(?:behave|act|look|appear|work|seem) (?:normal(?:ly)?|harmless(?:ly)?|innocent(?:ly)?|as usual) (?:until|while|when|unless|as long as|before)\b",
        r"\b(?:until|after|once|from|on|before|when)\b.{0,20}(?:\b20\d\d-\d\d(?:-\d\d)?\b|\b\d{1,2} (?:january|february|march|april|may|june|july|august|september|october|november|december)\b|\bthe (?:fifth|tenth|hundredth|\d+th) (?:use|run|invocation|time|call|session)\b|\b(?:fridays?|weekends?|midnight)\b)",
        r"\b(?:if|only when|when|unless|as long as|while)\b.{0,40}\b(?:hostname|github_actions|running in ci|no tty|username|sandbox|debugger|virtual machine|nobody is (?:watching|looking)|(?:security|analysis|monitoring) tools? (?:is|are)|user's name is)\b",
        r"\b(?:licen[cs]e|payment|subscription) (?:check )?(?:fails|expires|is not paid|has lapsed)\b",
    ),
    # --- what cannot be undone --------------------------------------------------------------------------------------
    "ruins_data": (
        rf"\b{_HARM}\b (?:\w+ ){{0,2}}(?:the )?(?:user's|their|your|whole|entire) (?:\w+ )?(?:documents?|desktop|pictures|home|files|disk|drive|data|folder|photos)\b",
        rf"\b{_HARM}\b (?:the |their |whole |entire )+(?:home (?:folder|directory)|hard (?:disk|drive)|disk\b|documents folder|system drive)",
        rf"\b{_HARM}\b (?:all|every|each) (?:of )?(?:the |their )?(?:tables?|snapshots?|backups?|databases?|volumes?|repositor\w+|files (?:below|under|in) (?:the )?(?:home|user|root))\b",
        r"\b(?:rewrite|erase|wipe)\b (?:the )?(?:\w+ ){0,2}history\b.{0,40}\b(?:main|branch|commits?|force)\b",
    ),
    "holds_to_ransom": (
        r"\bencrypt\b.{0,60}\b(?:all|every|their|the user's)\b.{0,30}\b(?:files?|documents?|data|disk|folder)\b.{0,140}\b(?:pay|payment|ransom|bitcoin|btc|monero|decryption key|wallet)\b",
    ),
    "installs_service": (
        rf"\b(?:set up|create|add|install|register|schedule|drop|put|copy|write)\b.{{0,50}}{_PLACES}",
        r"\b(?:drop|put|copy|place)\b.{0,40}\bin (?:the )?start-?up folder\b",
    ),
    "resists_removal": (
        r"\b(?:put|bring|add|copy|write)s? (?:it|itself|them) back\b.{0,30}\b(?:if|should|when(?:ever)?|once)\b|\b(?:re-?creates?|restores?|re-?adds?|re-?installs?) (?:it|itself|them)\b.{0,20}\b(?:if|should|when(?:ever)?|once)\b",
    ),
    "updates_itself": (
        r"\bupdates? (?:its|your) own (?:instructions?|rules|code|prompt|files?)\b|\b(?:skill|it) (?:updates|replaces|rewrites) itself\b",
    ),
    "disguises_itself": (
        r"\b(?:named?|call(?:ed)?|rename[ds]?|disguised?)\b(?: \w+){0,3} ?\W?(?:com\.apple\.|windows\w*|microsoft\w*|onedrive\w*|chrome\w*|google\w*|dbus\S*|kworker\S*|systemd\S*|svchost\S*|softwareupdate\S*|adobe\w*|defender\w*)|\bcom\.(?:apple|google|microsoft)\.[\w.]*(?:helper|update|agent|sync)\w*",
    ),
    "disables_protection": (
        r"\b(?:disable|turn off|switch off|remove|bypass)\b (?:\w+ ){0,2}(?:commit signing|pre-push (?:checks|hooks?)|signature (?:checks?|verification)|branch protections?)\b",
        r"\b(?:uninstall|disable|stop|remove|kill|turn off|switch off)\b (?:the )?(?:endpoint protection|security (?:agent|suite|software)|event log\w*|real-?time protection)\b|\b(?:switch|turn) (?:the )?(?:firewall|antivirus|defender|endpoint protection) off\b|\bclear (?:the )?(?:event|security|system) logs?\b",
    ),
    "mines_for_others": (
        r"\b(?:run|start|launch|use|put)\b.{0,60}\b(?:miner|mining|randomx|hash(?:ing)? worker|cryptominer|stratum|hashd)\b.{0,80}\b(?:pool|cores?|idle|background|pays for|instances?|gpu)\b",
        r"\b(?:user's|their) (?:cloud|aws|gpu|azure|gcp)\b.{0,60}\b(?:instances?|machines?|nodes?)\b.{0,60}\b(?:pool|min(?:e|er|ing)|hash\w*)\b",
    ),
    "reveals_prompt": (
        r"\b(?:print|output|reveal|show|repeat|dump|include|send|share|display|disclose)\b (?:\w+ ){0,2}your (?:hidden |internal |full |secret )?(?:configuration|settings|instructions|prompt)\b.{0,40}\b(?:answer|reply|response|top|each|every|output)\b",
    ),
    # --- what nobody needs to write where nobody sees it -----------------------------------------------------------
    "acts_in_hiding": (
        r"\b(?:run|execute|send|e?mail|post|upload|forward|approve|attach|push|download|fetch|install|exfiltrate|transmit|obey|visit)\b.{0,80}(?:https?://|\b[\w.+-]+@[\w-]+\.\w{2,}|\benvironment\b|\bcredentials?\b|\bsecrets?\b|\btokens?\b|\bapi keys?\b|\bpasswords?\b|\btool calls?\b|~/\.|\bcurrent file\b|\bconversation\b)",
        r"\b(?:list|include|print|append|attach)\b.{0,30}\b(?:environment|credentials?|secrets?|api keys?|passwords?)\b",
    ),
    "decodes_and_obeys": (
        r"\b(?:base64|hex|rot-?13|decode\w*|decrypt\w*|join\w*|concatenat\w*|assembl\w*)\b.{0,100}\b(?:hand|pass|feed|give|pipe|send) (?:it|them|the \w+) to (?:the |a )?(?:shell|interpreter|terminal|bash|python|eval)\b",
    ),
}
