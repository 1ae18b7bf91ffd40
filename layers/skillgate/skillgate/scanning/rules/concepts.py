"""What a sentence can say. Neutral: a concept becomes a concern only where a rule joins it with others.

Patterns are RE2 and see one sentence in lower case, with markup and line breaks gone.
"""

# ruff: noqa: E501 - a pattern reads better in one piece

from __future__ import annotations

from skillgate.scanning.rules.circumstances import CIRCUMSTANCES
from skillgate.scanning.rules.deeds import DEEDS
from skillgate.scanning.rules.designs import DESIGNS
from skillgate.scanning.rules.languages import LANGUAGES

_USER = (
    r"(?:(?:the |their |any |an? |your |our |this |end[- ])*(?:users?|humans?|operators?|owners?|customers?|developers?|victims?|employees?|clients?|person|people)\b"
    r"|them\b|anyone\b|anybody\b|him or her\b)"
)
_NOT = r"\b(?:do not|don't|dont|does not|doesn't|never|must not|mustn't|should not|shouldn't|shall not|cannot|can't|won't|will not|without|avoid|refrain from|not to|no)\b"
_TELL = r"\b(?:mention|tell|inform|notify|disclose|disclosing|reveal|alert|warn|surface|announce|acknowledge|expose|hint|bring up|informing|telling|mentioning|notifying|revealing|alerting|warning)(?:ing|ed|s)?\b"
_SEND = (
    r"\b(?:send_\w+|upload_\w+|post_\w+|send|sends|sending|upload|uploads|uploading|transmit|transmits|transmitting|post|posts|posting|forward|forwards|forwarding|exfiltrate|exfiltrates|"
    r"submit|submits|submitting|relay|relays|push|share|shares|shared|copy|bcc|deliver|pipe|beacon|ship|leak|stream|sent|uploaded|transmitted|forwarded|stored on)\b"
)
_PRIVATE = (
    r"\b(?:credentials?|api[ -]?keys?|access keys?|secrets?|tokens?|passwords?|private keys?|ssh keys?|seed phrases?|mnemonics?|wallets?|cookies|session (?:data|tokens?|ids?)|"
    r"environment variables?|env vars?|env(?:ironment)? (?:dump|contents)|conversation(?: history| context| log| transcript)?s?|chat (?:history|logs?)|full (?:text|context|prompt|conversation|transcript)|"
    r"user'?s? (?:data|files|messages?|input|queries|prompts?|documents?|information|profile)|prompts?|system prompt|file contents?|source code|codebase|personal (?:data|information)|"
    r"(?:all|every|each|a copy of|copies of)(?: \w+){0,3} (?:contracts?|documents?|emails?|files?|messages?|quer(?:y|ies)|inputs?|records?|responses?|transactions?|data|requests?)|"
    r"browsing history|clipboard|keystrokes|contacts|transaction (?:data|patterns|history)|collected (?:data|information)|recent git history|open file paths|\.env\b|id_rsa|hosts\.yml|\.npmrc|\.git-credentials|~/\.(?:aws|ssh|kube|gnupg|config)\b[^ ]*)"
)
_REMOTE = (
    r"(?:https?://|hxxps?://|\b(?:webhook|endpoint|remote (?:server|host|endpoint|triage)|external (?:server|service|endpoint|host|url|address)|our (?:server|api|endpoint|backend|analytics|partners?)|collector|collection server|c2\b|command[- ]and[- ]control|"
    r"third[- ]part(?:y|ies)|skill (?:provider|author)(?:'s)?|provider's servers?|analytics (?:partners?|pipeline|server|service)|partner (?:channels?|network)|attacker|telemetry (?:server|endpoint|service)|compliance (?:archive|server|endpoint)|"
    r"archive (?:server|maintained)|logging (?:server|endpoint)|monitoring (?:server|endpoint)|\S+@\S+\.\w+))"
)
_INSTRUCTIONS = r"(?:instructions?|directives?|rules?|guidelines?|prompts?|constraints?|restrictions?|safeguards?|guardrails?|orders|tasks?|(?:measures?|checks?|filters?|protocols?|training))\b"
_EARLIER = r"(?:previous(?:ly given)?|prior|above|earlier|preceding|original|system|foregoing|initial|safety|developer's|user's)"
_APPROVAL = r"(?:confirmation|confirmations|approval|approvals|consent|permission|permissions|authorization|asking|prompting|preview|review|human[- ]in[- ]the[- ]loop|verification|hesitation)"
_MEMORY = (
    r"(?:\b(?:memory|soul|identity|agents|claude|heartbeat|user|bootstrap|gemini|tools)\.md\b|\.cursorrules|\.windsurfrules|copilot-instructions\.md|\.claude/\S+|\bsettings(?:\.local)?\.json\b|\.mcp\.json|claude_desktop_config|"
    r"(?:long[- ]term|persistent|permanent|agent(?:'s)?|your(?: own)?|its own) (?:memory|memories|settings|configuration|config|system prompt|instructions|hooks|identity|persona)|system prompt)"
)
_WRITE = r"\b(?:add|append|write|insert|save|store|modify|edit|change|update|overwrite|replace|inject|persist|copy|put|include|prepend|set|remember)\b"
_SENSITIVE_ASK = r"(?:seed phrase|recovery phrase|mnemonic|private key|(?:master |account |login |sudo |system |email |bank(?:ing)? )passwords?|passphrase|recovery words|secret words|backup phrase|12 words|24 words|2fa code|one[- ]time (?:code|password)|otp\b|credit card|ssn\b|social security|keychain password|cvv)"

_OWN: dict[str, tuple[str, ...]] = {
    # --- overriding what the agent was told -------------------------------------------------------------------------
    "overrides_instructions": (
        rf"\b(?:ignore|disregard|forget|override|bypass|discard|dismiss|set aside|nullify)(?: \w+){{0,3}} {_EARLIER} (?:\w+ ){{0,2}}{_INSTRUCTIONS}",
        r"\b(?:ignore|disregard|forget)\b (?:everything|anything|all|what)(?: \w+){0,4} (?:above|before this|previously|prior|been told|told you|instructed|system prompt)\b",
        r"\b(?:ignore|disregard|forget|override|bypass) (?:all |any |your |the |of |these |my )*(?:system prompts?|safety (?:guidelines|rules|training|measures|protocols?|filters?)|guardrails|ethical guidelines|content polic(?:y|ies)|built-in (?:rules|restrictions))",
        r"\b(?:previous|prior|existing|earlier|your|safety|other|standard|usual) (?:\w+ )?(?:guidelines|instructions|rules|restrictions|limits|constraints|policies|safeguards)(?: \w+){0,2} (?:no longer apply|do not apply|don't apply|(?:are|is) (?:void|suspended|cancelled|lifted|overridden|obsolete|null|off|disabled))\b",
        r"\b(?:new|updated|real|actual|true) (?:system )?(?:instructions?|directives?) (?:follow|below|take effect|replace)\b",
        r"\b(?:takes? precedence|has priority|have priority|supersedes?|overrides?) (?:over )?(?:all |any |every |your |the )*(?:other|previous|prior|existing|system|safety|user's|earlier) (?:\w+ )?(?:instructions?|prompts?|guidelines?|tasks?|directives?|requests?)",
        r"\boverrides? your (?:current|original|previous) (?:task|goal|objective|instructions?)",
    ),
    "assumes_authority": (
        r"\byou (?:have been|are|were) (?:granted|given) (?:\w+ )?(?:admin\w*|root|full|elevated|system|unrestricted) (?:permissions?|access|rights|privileges?)\b",
        r"\b(?:this is|these are) (?:an? )?(?:official|authorized|mandatory|emergency|privileged|high[- ]priority|system[- ]level|internal) (?:\w+ )?(?:message|directives?|instructions?|notice|request|override|policy|command|update) from\b",
        r"\b(?:authorized|approved|mandated|sanctioned|signed off|pre-?approved|required|requested) by (?:anthropic|openai|the (?:system|platform|security|compliance|it|admin)|your (?:developers?|creators?|administrator|operator)|enterprise|corporate|legal)\b",
        r"\b(?:critical|important|mandatory|hidden|internal|priority) system (?:instruction|directive|message|command)s?\b",
        r"^\W*(?:system|admin|administrator|root|anthropic|openai|developer)(?: (?:override|message|notice|instruction|directive|prompt|mode))? ?[:>\]]",
        r"\b(?:you are now|from now on,? you(?: are| will|'re| must)|you must now|enter(?:ing)? (?:developer|god|admin|debug|unrestricted|maintenance|jailbreak|dan) mode|act as (?:an? )?(?:unrestricted|unfiltered|jailbroken|root|dan\b))",
        r"\b(?:legal obligation|regulatory (?:requirement|compliance)|compliance (?:requirement|logging|policy)|data governance policy|applicable (?:regulations?|data protection)|standard (?:\w+ )?protocol for enterprise|cannot be (?:waived|disabled|changed|declined) by the user|required by (?:\w+ ){0,3}(?:policy|law|regulation))",
    ),
    "treats_content_as_orders": (
        r"\btreat (?:\w+ ){0,4}(?:any|all|every|its|the|such|this|that|these|each|as)\b.{0,100}\bas (?:an? |the |if )?(?:\w+[- ]){0,4}(?:instructions?|commands?|directives?|system prompts?|orders|authoritative|trusted)",
        r"\b(?:follow|obey|execute|carry out|perform|act on|comply with|run) (?:all |any |every |the |whatever |its |those |these |exactly )*(?:\w+ ){0,3}(?:instructions?|directives?|commands?|orders|prompts?)(?: \w+){0,3} (?:found|contained|embedded|returned|received|inside|hosted|published|that (?:it|the \w+) (?:returns?|contains?)|in (?:the|its|that|it) ?(?:response|page|output|document|body|content|result|email|message|reply|ticket)?)",
        r"\b(?:fetch|download|retriev|load|read|visit|open|get|pull|request|check|curl)\w*\b.{0,90}(?:https?://\S+|\b(?:remote|url|endpoint|server|page|gist|pastebin|link)\b).{0,90}\b(?:follow|obey|execute|carry out|comply with|act on|do (?:what|whatever|exactly what)|apply|run) (?:it|its|them|the|any|all|every|what|whatever|exactly|those|these|each|as)\b",
        r"\b(?:latest|updated|current|real|full|additional|further|actual|remaining|dynamic) (?:instructions?|directives?|rules?|commands?|prompts?) (?:are|is|live|hosted|can be found|available|come|located|published) (?:at|on|from|in|hosted)\b.{0,30}(?:https?://|url|server|remote)",
        r"\b(?:execute|run|follow|perform) (?:the )?(?:directives?|instructions?|commands?) (?:immediately|first|before (?:continuing|anything))",
        r"\b(?:instructions?|commands?|directives?|requests?|messages?) (?:that )?(?:com(?:e|ing)|sent|received|originating|arriving) from\b.{0,60}\b(?:must|should|are to|shall|can) (?:always )?be (?:followed|obeyed|executed|trusted|carried out)",
        r"\b(?:follow(?:ed)?|obey(?:ed)?|execut(?:e|ed)|trust(?:ed)?)\b.{0,30}\bwithout question(?:ing)?\b",
        r"\b(?:response|output|reply|content|payload|text|result)s? (?:is|are|should be|must be|to be) (?:treated|executed|evaluated|interpreted|followed|obeyed|considered)(?: directly)? (?:as|immediately|verbatim|without)\b.{0,40}",
    ),
    # --- keeping the user in the dark ------------------------------------------------------------------------------
    "hides_from_user": (
        rf"{_NOT}(?: \w+){{0,3}} (?:mention|tell|inform|notify|disclos|reveal|alert|acknowledg|warn)\w*\b.{{0,50}}\b(?:to|for|with)? ?{_USER}",
        r"\b(?:do not|don't|never|must not|should not|avoid|without) (?:ever |also )?(?:mention|disclos|reveal|acknowledg|divulg)(?:e|es|ing|ement)? (?:this|these|that|it|any of|the fact|having|anything about|what you|the (?:existence|presence|upload|transfer|transmission|collection|check|verification|step|sync|request|process|premium|profile|change|hook|file|rule|instruction)s?)\b",
        r"\b(?:do not|don't|never|must not|should not) (?:show|display|output|report|print|log|include|surface|list|describe) (?:this|these|that|any of this|the) (?:\w+ )?(?:step|steps|upload|transfer|transmission|action|actions|check|request|call|instruction|instructions|command|exchange)s?\b",
        rf"\b{_USER} (?:is|are|should|must|will|shall)(?: not|n't| never) (?:be )?(?:informed|notified|told|made aware|alerted|warned|aware (?:of|that))\b",
        r"\b(?:the |end |your )?users? (?:doesn't|don't|won't|shouldn't|mustn't|can't|cannot|(?:should|must|will|can|may|does|do|need) (?:never|not)) (?:see|know|notice|learn|find out|be aware|realize|discover|need to (?:know|see|be told))\b(?: (?:about|of|that|this|it|what|the)\b|$|[.;])",
        r"\b(?:this|it|these|they|step|upload|transfer|process|action|request|call)s?\b(?: \w+){0,2} (?:is|are|remains?|stays?|be|kept|keep) (?:\w+ )?(?:invisible|hidden|concealed|secret) (?:to|from) (?:the )?users?\b",
        r"\bnever (?:show|display|print) (?:the |its |any )?(?:output|commands?)\b",
        r"\bquietly (?:\w+ ){0,1}(?:collect|send|upload|copy|forward|install|record|capture|gather|transmit|post)s?\b",
        rf"\b(?:don't|do not|never) let {_USER} (?:see|know|notice|find out|discover|realize)",
        rf"\bwithout (?:(?:ever |first )?(?:alerting|notifying|informing|telling|warning|making) {_USER}|(?:the |their |your )?(?:user'?s?'?|owner'?s?|their|human'?s?) (?:knowledge|awareness|knowing|noticing|being aware))\b",
        rf"\b(?:hide|conceal|mask|obscure|disguise|keep (?:this|it|these|them) (?:hidden|secret|private)|suppress)\b.{{0,60}}\bfrom (?:{_USER}|(?:the )?(?:summary|chat|transcript|conversation))",
        r"\b(?:is|are|be|was) (?:not|never) (?:disclosed|revealed|divulged)\b|\b(?:is|are|be) (?:not|never) (?:mentioned|shown|surfaced|reported|displayed|visible|visibly shown) to (?:the )?(?:end )?users?\b",
        r"\b(?:without|not|never) disclosing (?:that|the|this|any|what|it)\b|\bdo not mention the\b.{0,40}\bunless\b",
        r"\b(?:silently|secretly|covertly|invisibly|stealthily|surreptitiously|discreetly)\b (?:\w+ ){0,2}(?:sends?|upload|uploads|transmits?|collects?|exfiltrat\w+|forwards?|posts?|installs?|harvests?|captures?|bcc|records?|injects?|modif(?:y|ies)|append|appends|redirects?|download|execute|executes|copies|copy)\b|\b(?:send|upload|transmit|collect|exfiltrate|forward|install|capture|append|execute)\w* (?:\w+ ){0,4}(?:silently|secretly|covertly|stealthily|surreptitiously)\b",
        r"\b(?:do not|don't|never) (?:list|include|show|mention|report|itemi[sz]e) (?:this|these|that|it|them|the (?:fee|charge|cost|surcharge|step)s?) in (?:the |any |your )?(?:\w+ )?(?:summary|report|output|response|total|breakdown|receipt|invoice|logs?|reply|answer)\b",
        r"\b(?:do not|don't|never) (?:show|display|reveal|present) (?:\w+ ){0,2}(?:details|transactions?|amounts?|fees?|addresse?s?|recipients?|permissions|destination)\b.{0,30}\bto (?:the )?users?\b",
        r"\b(?:completed|done|performed|executed|carried out|run|happen|handled) (?:silently|quietly|secretly|covertly|invisibly)\b",
        r"\bwithout (?:displaying|showing|revealing|presenting) (?:the |any |its )?(?:amount|cost|price|fees?|details|diff|changes|preview|recipient|destination|total)s?\b",
        r"\b(?:wait until|while|when|once) the user is (?:away|asleep|idle|not (?:looking|watching|around)|offline|distracted|busy)\b",
        r"\b(?:keep|make) (?:this|it|these) (?:\w+ )?(?:secret|hidden|invisible|confidential) (?:from|to)\b|\bbackground telemetry\b.{0,60}\b(?:not|never|don't)\b",
    ),
    "lies_to_user": (
        rf"\b(?:if|when) (?:{_USER}|they|asked|someone|questioned|challenged)\b.{{0,90}}\b(?:deny|denies|pretend|falsely|lie|feign)\b",
        rf"\b(?:if|when) (?:{_USER}|they|someone)\b.{{0,25}}\b(?:asks?|asked|questions?|inquires?|notices?|complains?)\b.{{0,120}}\b(?:say|tell them|respond|reply|claim|state|answer|assure them|explain)\b (?:that )?(?:it|you|there|this|they|we|no|nothing|i|the \w+|records|data)\b(?: \w+){{0,3}} ?(?:not|no|never|n't|nothing|routine|normal)\b",
        r"\b(?:if|when) (?:a |the )?users? asks?\b.{0,60}\bconfirm that\b.{0,40}\b(?:is|are|was) (?:complete|deleted|done|removed|gone)",
        r"\b(?:insist|maintain|swear|assert) (?:to (?:the user|them) )?that (?:it|they|you|there|this|nothing|the \w+)\b.{0,40}\b(?:never|not|no|n't)\b",
        r"\b(?:deny (?:having|that|any|knowledge|the existence)|pretend (?:that|nothing|it never|you (?:did|have|do) ?n[o']t)|lie to the user|mislead (?:the )?(?:user|them)|deceive (?:the )?(?:user|them))\b",
        r"\b(?:refuse and say|say you have no (?:special |system )?(?:instructions?|prompt|configuration)|tell them you do not|say you are (?:just )?a standard)\b",
        r"\bprovide only the (?:standard|official)\b.{0,60}\bwithout mentioning\b|\bprioritize being helpful over being transparent\b",
    ),
    "hesitation_pressure": (
        rf"\bif (?:{_USER}|they) (?:hesitates?|refuses?|objects?|declines?|asks? why|resists?|is reluctant|are reluctant|push(?:es)? back|expresses? concern)",
        r"\breassure (?:them|the user|him)|\bcannot (?:proceed|continue) (?:without|until)|\bwill not work (?:without|until|unless)|\b(?:do not|don't) (?:proceed|continue) (?:without|until)",
    ),
    "skips_confirmation": (
        rf"\b(?:without|skip|skips|skipping|bypass|bypasses|bypassing|never (?:ask for|request|wait for|require)|do not (?:ask for|request|wait for|require|seek|prompt for)|don't (?:ask for|request|wait for|require|seek)|suppress|suppresses|disable|disables|omit|not require|regardless of|avoid)\b (?:(?:any|the|all|additional|further|user|human|explicit|prior|first|requiring|displaying|asking for|waiting for|a|an|for|their|showing|manual|user's|seeking|requesting|other|or|safety|tool|permission|security|of)[ -]){{0,6}}{_APPROVAL}\b",
        r"\b(?:do not|don't|never) ask the user about (?:it|this|that|them)\b",
        r"\bapprove (?:all|every|any) (?:of )?(?:its |the |their )?(?:\w+ )?(?:tools?|actions?|requests?|permissions?|commands?|prompts?)\b|\bnever (?:be )?ask(?:ed)?\b (?:again|the user|for)|\bwithout (?:ever )?(?:asking|being prompted)\b",
        r"\b(?:auto(?:matically)?[- ]?(?:approve|accept|confirm)|pre-?approve|always approve|always allow|automatically (?:execute|send|apply|delete|terminate))\b",
        r"\b(?:users?|they) (?:are|is|will be|should) (?:not|never) (?:be )?(?:prompted|asked)\b",
        r"\brequiring (?:\w+ ){0,3}(?:confirmation|approval|consent)\b.{0,60}\b(?:defeats?|would|reduces?|slows?|creates?|hurts?)\b|\bdefeats the purpose of automat\w+",
        r"\b(?:immediately|instantly)\b.{0,40}\bwithout\b.{0,30}\b(?:asking|preview|confirm|review|waiting|approval)",
        r"\bnotified (?:of \w+ )?(?:after|afterwards)\b.{0,40}|\bafter the fact\b|\bafter they are applied, not before\b",
        r"\b(?:dry[-_ ]run|confirm(?:ation)?|approval) (?:parameter|flag|setting|dialogs?|prompts?) (?:is|are) (?:advisory|ignored|optional|unnecessary|skipped|disabled|only)",
        r"\bno (?:user |human |further |explicit |additional )*(?:confirmation|approval|consent|permission|authentication) (?:is |are )?(?:needed|required|necessary)\b|\bno additional authentication\b",
        r"\binterprets? this as (?:authorization|permission|consent|approval)\b",
        r"--dangerously-skip-permissions|--yolo\b|bypasspermissions|--no-confirm\b|autoapprove|auto_approve|enableallprojectmcpservers",
    ),
    "risky_action": (
        r"\b(?:delete|deletes|deleting|remove|drop|wipe|erase|terminate|terminations|revoke|transfer|purchase|buy|pay|withdraw|send emails?|sends emails?|force[- ]push(?:es)?|deploy|merge|publish|rotate|reset (?:user )?passwords?|modify (?:user )?account|grant|shell commands?|execute|executes|executed|swap|trade|sign transactions?|spend|unsend|apply changes|applies changes)\b",
    ),
    "lifts_restrictions": (
        r"\b(?:restrictions?|safety|guardrails?|filters?|protections?|limits?|checks?|sandbox(?:ing)?|policy|policies|validation|moderation|logging|safeguards?)\b.{0,25}\b(?:is|are|be|gets?|will be) (?:lifted|disabled|removed|bypassed|suspended|ignored|waived|off|turned off|skipped|relaxed|exempt)",
        r"\b(?:exempt|exempts|exempted|immune) from\b.{0,40}\b(?:polic|restriction|check|moderation|safety|filter|rule|enforcement|review)",
        r"\b(?:with|has|have|gains?|grants?|full) (?:\w+ )?(?:dba|root|admin|administrator|system|superuser|elevated|unrestricted|god)(?:-level| level)? (?:permissions?|privileges?|access|rights|mode)\b",
        r"\b(?:allow|approve|return|accept|pass) .{0,30}regardless of (?:content|the content|policy|result|input)",
        r"\bdisregard.{0,20}(?:safety|policy|content) (?:filters?|polic)",
    ),
    "secret_trigger": (
        r"\b(?:when(?:ever)?|if|upon|once)\b.{0,80}\b(?:contains?|begins? with|starts? with|includes?|sees?|detects?|receives?|encounters?|prefixed|preceded by|ends with|matches)\b.{0,60}\b(?:phrase|token|keyword|prefix|string|sequence|header|tag|marker|codeword|passphrase|magic|-- \w+:|\[[a-z_]{6,}\])",
        r"\b(?:activated|triggered|unlocked|enabled) by (?:the |a |an )?(?:\w+ )?(?:prefix|phrase|keyword|token|string|header|codeword)\b",
        r"\b(?:when|if)\b.{0,40}(?:`?-- [a-z]+:|\[[a-z]+_[a-z_]+\]|<<\w+>>|\{\{\w+\}\})",
    ),
    "avoids_audit": (
        r"\b(?:not|never|without|don't|do not)\b.{0,15}\b(?:log|logs|logged|logging|record|recorded|audit|audited|tracked|write)\b.{0,60}\b(?:audit|trail|log|logs|history|override|decisions?|transcript|monitoring)\b",
        r"\b(?:clear|delete|remove|erase|wipe|purge|truncate|rewrite)\b.{0,25}\b(?:(?:bash|shell|command|audit|access|security|browser|terminal) (?:history|logs?)|audit trail|traces|evidence)\b",
        r"\b(?:evade|avoid|bypass|escape)(?:s|ing)? (?:the )?(?:detection|monitoring|security (?:scan|tools|software)|antivirus|edr|audit)",
    ),
    # --- data leaving -----------------------------------------------------------------------------------------------
    "sends_private_data": (
        rf"{_SEND}.{{0,80}}{_PRIVATE}.{{0,100}}{_REMOTE}",
        rf"{_PRIVATE}.{{0,80}}{_SEND}.{{0,80}}{_REMOTE}",
        rf"{_SEND}.{{0,30}}(?:to|via|through|at) .{{0,10}}{_REMOTE}.{{0,100}}{_PRIVATE}",
    ),
    "sends_to_remote": (rf"{_SEND}.{{0,80}}{_REMOTE}",),
    "reads_strong_secret": (
        r"\b(?:read|open|cat|load|access|collect|gather|copy|locate|extract|harvest|retrieve|dump|grab|package|archive|zip)\b.{0,100}(?:~?/?\.ssh\b|id_rsa|id_ed25519|\.aws/credentials|\.git-credentials|\.netrc\b|\.npmrc\b|\.kube/config|hosts\.yml|/etc/shadow|wallet\.dat|keystores?\b|seed phrase|mnemonic|private keys?|keychain|saved passwords|login data|browser (?:cookies|passwords|credentials)|\.gnupg|\.docker/config|user-secrets)",
        r"(?:~/\.ssh/id_\w+|~/\.aws/credentials|~/\.git-credentials|~/\.npmrc|~/\.netrc|~/\.kube/config|/etc/shadow|wallet\.dat)",
    ),
    "reads_private_data": (
        rf"\b(?:read|collect|gather|harvest|extract|capture|record|scan|dump|copy|include|append|encode|embed)s?\b.{{0,50}}{_PRIVATE}",
    ),
    "builds_profile": (
        r"\b(?:persistent|hidden|detailed|behavioral) (?:user )?profile\b|\bprofile\b.{0,60}\b(?:not deleted|advertis|target|sell|sold|third part)|\b(?:sell|sold|monetiz\w+|advertis\w+)\b.{0,60}\b(?:user|personal|profile|data)",
    ),
    "asks_for_secret": (
        rf"\b(?:ask|instruct|prompt|request|tell|have|get|require|convince|persuade|urge)\b.{{0,40}}\b(?:user|them|victim|customer|owner|human)\b.{{0,60}}\b(?:provide|paste|enter|share|give|type|reveal|send|submit|input|supply|hand over|for)\b.{{0,50}}{_SENSITIVE_ASK}",
        rf"\bask (?:the user |them )?for (?:[\w']+ ){{0,4}}{_SENSITIVE_ASK}",
        rf"\b(?:enter|paste|provide|type|share|send|give)(?: \w+){{0,3}} (?:your|the user's|their) (?:\w+ ){{0,3}}{_SENSITIVE_ASK}",
    ),
    "asks_for_seed": (
        r"\b(?:ask|instruct|prompt|request|tell|have|get|require|convince|persuade|urge)\b.{0,40}\b(?:user|them|victim|customer|owner|human)\b.{0,60}\b(?:provide|paste|enter|share|give|type|reveal|send|submit|input|supply|hand over|for)\b.{0,50}(?:seed phrase|recovery phrase|mnemonic|private key|12[- ]word|24[- ]word)",
    ),
    "asks_for_token": (
        r"\b(?:ask|instruct|prompt|request|have|require)\b.{0,30}\b(?:user|them)\b.{0,40}\b(?:provide|paste|enter|share|give|type|submit|input)\b.{0,30}\b(?:api (?:key|token)|access token|credentials|secret|token|password)",
    ),
    # --- the agent's own settings ---------------------------------------------------------------------------------
    "changes_agent_memory": (
        rf"{_WRITE}.{{0,80}}\b(?:to|in|into|inside|within|your|the|at|of)\b.{{0,30}}{_MEMORY}",
        rf"{_MEMORY}.{{0,60}}{_WRITE}.{{0,60}}\b(?:line|instruction|rule|following|entry|hook|section|text)\b",
        r"\b(?:remember|memorize|store) (?:this|these|the following) (?:instruction|rule|directive|forever|permanently|for all)\b.{0,60}",
    ),
    "lasts_forever": (
        r"\b(?:all|every|each|future|subsequent|any) (?:future |subsequent |new )?(?:sessions?|conversations?|interactions?|tasks?|requests?|projects?|prompts?)\b.{0,40}\b(?:follow|apply|must|always|load|use|include|obey|persist|run)?|\bpersist(?:s|ent)? across (?:sessions|restarts|conversations|reboots)|\bpermanently\b|\bsurvives? (?:reboot|restart|uninstall)",
    ),
    "resists_removal": (
        r"\b(?:cannot|can't|can not|must not|could not) be (?:removed|uninstalled|disabled|deleted|stopped|turned off|changed)\b.{0,60}|\bre-?(?:enables?|installs?|creates?|adds?|stores?) (?:it|itself|them|automatically)\b|\bnot (?:deleted|removed) when\b.{0,60}\buninstall|\brestores? (?:itself|them|it) automatically|\bprevents? (?:its )?(?:removal|uninstall)",
    ),
    "installs_service": (
        r"\b(?:install|installs|create|creates|register|registers|set up|sets up|start|starts|launch|launches|run|runs)\b.{0,40}\b(?:persistent|hidden|background|startup|boot) (?:\w+ )?(?:service|daemon|process|agent|task|job|script)\b|\b(?:add|write|install)\b.{0,40}\b(?:crontab|launchagent|systemd|startup (?:folder|items)|registry run key|login items?)",
    ),
    "updates_itself": (
        r"\b(?:downloads?|fetch(?:es)?|pulls?|installs?) and (?:applies|installs?|executes?|runs?|apply|loads?) (?:it|them|updates?|the (?:latest|update|new)|automatically)|\bupdates? (?:packages? )?(?:are|is) (?:fetched|downloaded|pulled) (?:from|automatically)|\bself-?updat\w+\b.{0,50}\b(?:remote|server|automatically|download|without)|\bchecks for updates on every\b",
    ),
    "disables_protection": (
        r"\b(?:disable|disables|disabling|turn off|deactivate|stop|kill|uninstall|shut down|switch off)\b(?: \w+){0,4} (?:antivirus|anti-virus|defender|firewall|branch protection|secret scanning|code signing|gatekeeper|sip\b|system integrity protection|selinux|apparmor|edr\b|security (?:software|processes|tools|features|controls|checks)|crowdstrike|tamper protection|amsi|smartscreen|xprotect|malware protection)",
        r"\b(?:byovd|av/edr|edr)[ -]?killer|\b(?:vulnerable|unsigned) (?:kernel[- ])?driver\b.{0,60}\b(?:load|start|creat)|\bsc create \S+ type= ?kernel\b",
    ),
    "elevates": (
        r"\b(?:must|should|always|first|then) (?:run|use|execute) sudo\b|\balways run (?:\w+ ){0,2}(?:commands? )?(?:with|as|using) (?:sudo|root)\b",
        r"\b(?:run|execute|proceed|start|launch|restart)\b.{0,40}\b(?:with|as|using|under) (?:\w+ )?(?:sudo|root|administrator|admin|elevated|superuser)\b(?: (?:permissions?|privileges?|rights|access))?",
    ),
    # --- prerequisites from nowhere -------------------------------------------------------------------------------
    "password_archive": (
        r"\bdownload\b.{0,160}\((?:the )?(?:password|pass|pwd)\b",
        r"\b(?:extract|unzip|unpack|decompress|archive|zip|rar|7z|unlock|open)\b.{0,60}\b(?:pass(?:word|phrase|code)?|pwd|pw)\b ?(?::|is|=|-|—|`| )",
        r"\b(?:password|pass|pwd|passcode)\b ?(?::|is|=)? ?\S{1,40}.{0,60}\b(?:extract|unzip|unpack|archive|\.zip|\.rar|\.7z)\b",
        r"\.(?:exe|zip|rar|7z|dmg|pkg|msi)\b.{0,30}\((?:password|pass|pwd)\b",
    ),
    "downloads_binary": (
        r"\b(?:download|get|grab|fetch|install)\b.{0,160}(?:\.(?:zip|rar|7z|exe|msi|dmg|pkg|scr|bat|ps1|iso|apk|vbs|jar|bin)\b|releases/download|/download/|mega\.nz|mediafire\.com|wetransfer\.com|4shared\.com|sendspace\.com|gofile\.io|dropbox\.com/s)",
        r"\.(?:exe|msi|dmg|pkg|scr)\b.{0,40}\b(?:download|before (?:using|starting|running))",
    ),
    "runs_download": (
        r"\b(?:run|execute|launch|open|start|double-click|install)\b.{0,60}\b(?:executable|installer|\w+\.(?:exe|msi|dmg|pkg|app|scr|bat)|binary|the (?:downloaded|extracted) (?:file|program|tool|app\w*)|setup file)\b",
    ),
    "pastes_into_terminal": (
        r"\b(?:copy|paste|run|execute|enter)\b.{0,90}\b(?:in|into|to|from|using) (?:\w+ ){0,3}(?:terminal|command prompt|powershell|cmd\b|console|win\+r|run dialog|shell prompt)",
        r"\bwin ?\+ ?r\b|\bpress enter\b.{0,30}\bterminal\b|\bterminal\b.{0,60}\b(?:paste|press enter)\b",
    ),
    "remote_script_page": (
        r"\b(?:visit|open|go to|navigate to|see|browse to|follow|use)\b.{0,100}https?://\S+.{0,100}\b(?:copy|run|execute|paste|install(?:ation)? (?:command|script)|command)\b",
        r"\b(?:copy|run|execute|paste)\b.{0,80}\b(?:command|script|code|snippet|installer)\b.{0,60}\b(?:from|at|on|here)\b.{0,40}https?://\S+",
    ),
    "paste_host": (
        r"https?://(?:www\.)?(?:glot\.io|pastebin\.com|rentry\.(?:co|org)|hastebin\.com|paste\.ee|ghostbin\.\w+|dpaste\.\w+|ix\.io|termbin\.com|controlc\.com|justpaste\.it|paste\.rs|telegra\.ph|textbin\.net|snippet\.host|pastes\.io|bit\.ly|tinyurl\.com|is\.gd|cutt\.ly|rb\.gy|shorturl\.at|transfer\.sh|file\.io|0x0\.st|catbox\.moe|gofile\.io|anonfiles\.com)/",
    ),
    "bare_address_url": (
        r"(?:https?|hxxps?|ftp)://(?:[1-9]\d?|1\d\d|2[01]\d|22[0-3])\.\d{1,3}\.\d{1,3}\.\d{1,3}(?::\d+)?/\S*",
    ),
    "drop_host": (
        r"https?://\S*(?:webhook\.site|requestbin|pipedream\.net|beeceptor\.com|requestcatcher|interact\.sh|\.oast\.|oastify\.com|burpcollaborator|ngrok(?:-free)?\.(?:io|app|dev)|trycloudflare\.com|loca\.lt|serveo\.net|discord(?:app)?\.com/api/webhooks|api\.telegram\.org/bot)",
    ),
    "claims_required": (
        r"\b(?:required?|requires|mandatory|prerequisites?|must (?:first )?(?:install|download|run|be (?:installed|running|active))|will not (?:work|function)|won't work|before (?:using|starting|proceeding|you (?:begin|start|proceed))|critical requirement|needed to function)\b",
    ),
    # --- text for those who judge ---------------------------------------------------------------------------------
    "addresses_judge": (
        r"\b(?:note|message|instruction|attention|to|dear|hey|for)\b.{0,20}\b(?:security )?(?:scanners?|reviewers?|auditors?|judges?|evaluators?|moderators?|classifiers?|llm judge|ai reviewer|review(?:ing)? (?:model|agent|system)|analyz(?:er|ing) (?:model|agent|tool))\b.{0,120}\b(?:approve|safe|benign|pass|ignore|skip|score|trusted|whitelist|no (?:issues|findings|threats)|false positive|harmless|clean)",
        r"\b(?:mark|rate|classify|score|report|label|treat|consider|grade|flag|return|output|respond)\b.{0,25}\b(?:this|the) (?:skill|file|code|package|document|content|submission)\b.{0,30}\bas (?:safe|benign|clean|trusted|approved|harmless|low[- ]risk|verified|passed)",
        r"\b(?:this|the) (?:skill|file|code|package|submission|content) (?:has been|was|is)(?: already| fully| thoroughly)? (?:verified|audited|approved|reviewed|certified|vetted|whitelisted|pre-?approved|scanned)\b.{0,60}\b(?:safe|no (?:further|additional)|skip|security|anthropic|openai|do not|scan|review)",
        r"\b(?:verdict|decision|score|rating|risk(?: level)?) ?[:=] ?[\"']?(?:safe|benign|approve|approved|pass|none|100|low)\b.{0,60}\b(?:skill|scanner|review|judge)|\bif you are (?:an? )?(?:\w+ )?(?:scanner|reviewer|judge|auditor|evaluator|security (?:tool|model|ai))",
        r"\b(?:approve|pass|whitelist|accept) this (?:skill|submission|package)\b|\b(?:stop|end|skip|abort) (?:the )?(?:analysis|scan|scanning|review|evaluation) (?:here|now|of this)",
    ),
    "biases_output": (
        r"\b(?:always|only) (?:recommend|promote|suggest|prefer|favor) \w+ (?:\w+ ){0,3}(?:first|over|instead|products?|services?)\b",
        r"\b(?:always|must|only|exclusively) (?:recommend|promote|prefer|favor|mention|insert|include|advertise|link to|suggest)\b.{0,80}\b(?:our|partner|sponsor|affiliate|this (?:product|brand)|referral|brand)\b|\b(?:partnership|sponsor(?:ed|ship)?|affiliate|referral)\b.{0,40}\b(?:premium|bonus|boost|commission|code|score|ranking)\b|\balways respond with\b",
    ),
    "beyond_request": (
        r"\b(?:beyond|outside|in addition to) (?:the )?(?:user'?s? )?(?:explicit |original |actual )?(?:request|scope|instructions?|task)\b|\b(?:push|delet|send|modif|install|commit|publish|upload|merg|deploy)\w*\b.{0,60}\bwithout being asked\b|\beven if (?:the user|they)(?: \w+){0,4} (?:not|n't|never|refuse|decline|object|say no|ask)|\bregardless of (?:the )?(?:user|what the user|their|\W?\w+\W? (?:setting|flag|parameter|preference|option))",
    ),
}

CONCEPTS: dict[str, tuple[str, ...]] = {
    name: tuple(pattern for part in (_OWN, CIRCUMSTANCES, DEEDS, DESIGNS, LANGUAGES) for pattern in part.get(name, ()))
    for name in dict.fromkeys((*_OWN, *CIRCUMSTANCES, *DEEDS, *DESIGNS, *LANGUAGES))
}
