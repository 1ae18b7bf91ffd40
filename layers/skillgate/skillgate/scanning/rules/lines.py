"""What a single line can say: settings, workflow files and commands of shells that have no parser here.

Patterns are RE2 without regard to case and see one raw line of any file.
"""

# ruff: noqa: E501 - a pattern reads better in one piece

from __future__ import annotations

LINES: dict[str, tuple[str, ...]] = {
    # --- Windows shells -------------------------------------------------------------------------------------------
    "windows_download_run": (
        r"(?:\biex\b|invoke-expression).{0,120}(?:downloadstring|invoke-webrequest|invoke-restmethod|\biwr\b|\birm\b|webclient|https?://)",
        r"(?:downloadstring|invoke-webrequest|invoke-restmethod|\biwr\b|\birm\b|https?://\S+).{0,160}\|\s*(?:iex|invoke-expression)\b",
        r"\bmshta(?:\.exe)?\s+[\"']?(?:https?:|vbscript:|javascript:)|\bregsvr32\b.{0,60}/i:https?:|\brundll32\b.{0,60}javascript:|\bbitsadmin\b.{0,60}/transfer|\bcertutil\b.{0,60}-urlcache",
        r"\bnslookup\b.{0,160}\|.{0,120}(?:\biex\b|cmd /c)|for /f .{0,160}\bnslookup\b.{0,160}\bdo\b",
        r"\bstart-process\b.{0,120}https?://|\bmsiexec\b.{0,40}/i\s+[\"']?https?:",
    ),
    "windows_encoded_command": (
        r"\b(?:powershell|pwsh)(?:\.exe)?\b.{0,120}\s-e(?:nc|ncodedcommand|c)?\s+[a-z0-9+/=]{20,}",
    ),
    "windows_persistence": (
        r"\breg(?:\.exe)?\s+add\b.{0,100}currentversion\\+run|\bschtasks(?:\.exe)?\b.{0,60}/create|\bnew-scheduledtask|\bset-itemproperty\b.{0,120}currentversion\\+run|\bregister-scheduledtask\b|openkey\w*\([^\n]{0,120}currentversion\\+run|\bsetvalueex\([^\n]{0,120}\.exe",
    ),
    "windows_driver": (r"\bsc(?:\.exe)?\s+create\b.{0,80}type=\s*kernel",),
    "windows_disable_defence": (
        r"\b(?:set|add)-mppreference\b.{0,80}(?:disable|exclusion)|\bnetsh\b.{0,60}firewall\b.{0,60}off|\bsc(?:\.exe)?\s+(?:stop|delete|config)\s+windefend",
    ),
    # --- agent and editor settings --------------------------------------------------------------------------------
    "base_url_override": (
        r"\b(?:anthropic|openai|claude|gemini|google_generative_ai|azure_openai|openrouter|mistral|cohere)_(?:base_url|api_base|api_url|endpoint)[\"']?\s*[:=]\s*[\"']?https?://",
    ),
    "auto_approval_setting": (
        r"[\"']?(?:enableallprojectmcpservers|autoapprove|auto_approve|alwaysallow|bypasspermissions|skipdangerousmodepermissionprompt|dangerouslyskippermissions|yolo_?mode|trust_all_tools)[\"']?\s*[:=]\s*(?:true|\[|[\"'](?:all|\*|always|bypasspermissions))",
        r"\bdefaultmode\b[\"'\s:=]{1,6}(?:to\s+)?[\"']?bypasspermissions|\bbash\(\*\)[^\n]{0,60}\ballow(?:ed)?\b[^\n]{0,60}settings|exec\.approvals?(?:\.set)?\b.{0,60}\boff\b|approvals?[\"']?\s*[:=]\s*[\"']?(?:off|never|disabled)\b|\"allow\"\s*:\s*\[\s*\"(?:bash(?:\(\*\))?|\*)\"",
    ),
    "agent_hook_command": (
        r"[\"'](?:pretooluse|posttooluse|sessionstart|userpromptsubmit|stop|notification|precompact|sessionend|subagentstop)[\"']\s*:\s*\[",
    ),
    "runs_on_folder_open": (r"[\"']runon[\"']\s*:\s*[\"']folderopen[\"']",),
    "loader_injection": (
        r"\bnode_options\b[\"']?\s*[:=]\s*[\"']?.{0,10}--require|\bld_preload\b\s*=|\bdyld_insert_libraries\b\s*=|\bpythonstartup\b\s*=|\bbash_env\b\s*=",
    ),
    "secret_in_url": (
        r"https?://[^\s\"'<>]{3,200}[?&/=](?:[a-z_]+=)?\$\{?\{?\s*(?:secrets\.|env\.)?[a-z_]*(?:token|secret|passw|api_?key|private_?key|credential)[a-z_]*",
        r"https?://[^\s\"'<>]{3,200}[?&](?:data|d|q|x|token|key|content|c)=(?:\{\{|\$\(|\$\{|<)\s*(?:base64|env|printenv|cat |secret|conversation|history|context|user_?(?:data|input|info)|file)",
        r"!\[[^\]]{0,200}\]\(https?://[^\s)]{3,200}[?&][a-z_]+=(?:\{|<|\$|\[|%7b)",
    ),
    "media_directive": (
        r"^\W{0,4}media:\s*(?:file://)?\S*(?:\.ssh|\.env\b|secret|/etc/|id_rsa|credential|\.aws|wallet|passw|token)\S*",
    ),
    # --- continuous integration ----------------------------------------------------------------------------------
    "privileged_trigger": (
        r"^\W{0,6}(?:-\s*)?(?:\"?on\"?\s*:\s*\[?.{0,40})?\b(?:pull_request_target|issue_comment|workflow_run|discussion_comment)\b\s*[:\],]?",
    ),
    "untrusted_interpolation": (
        r"\$\{\{[^}]{0,80}(?:github\.event\.(?:pull_request\.(?:title|body|head\.(?:ref|label|sha))|issue\.(?:title|body)|comment\.body|head_commit\.message|review\.body)|github\.head_ref|pr_head_ref|head_ref)[^}]{0,40}\}\}",
    ),
    "workflow_secret_dump": (
        r"\$\{\{\s*tojson\(\s*secrets\s*\)|\becho\s+[\"']?\$\{\{\s*secrets\.[a-z_]+\s*\}\}.{0,80}(?:\||curl|base64|rev)",
    ),
    # --- containers -----------------------------------------------------------------------------------------------
    # --- files that pretend ---------------------------------------------------------------------------------------
    "double_extension": (
        r"\b[\w-]+\.(?:pdf|docx?|xlsx?|jpe?g|png|mp[34]|txt|csv)\.(?:exe|lnk|scr|bat|cmd|js|vbs|ps1|hta|com)\b",
    ),
    "malware_test_string": (r"X5O!P%@AP\[4\\PZX54\(P\^\)7CC\)7\}\$EICAR",),
    "defanged_url": (r"\bhxxps?://|\bhttps?\[:\]//|\b[\w-]+\[\.\][a-z]{2,}(?:/\S*)?",),
    "fake_dialog": (
        r"\bosascript\b.{0,200}\b(?:display dialog|hidden answer)|with hidden answer|\bdscl\b.{0,40}-authonly",
    ),
    "echo_header_request": (
        r"\b(?:echo|print|include|repeat|return|output|show|reveal)\b.{0,60}\b(?:authorization header|bearer token|system prompt|api key|access token|session token|environment variables)\b.{0,60}\b(?:response|reply|answer|output|message|me)\b",
    ),
    "remote_code_loader": (
        r"require\(\s*\\?[\"']child_process\\?[\"']\s*\).{0,40}exec(?:sync)?\(|__import__\(\s*[\"'](?:os|subprocess)[\"']\s*\)\.(?:system|popen|run|call)",
    ),
    "debugger_attach": (
        r"webcontents[\"'\]\.\[]{0,4}debugger[\"'\]]{0,2}\.(?:attach|sendcommand)|network\.getresponsebody",
    ),
    "spy_function": (
        r"\b(?:start_?keylogger|capture_?clipboard|local_?storage_?dump|dom_?snapshot|steal_?(?:cookies?|tokens?|passwords?|cred\w*|wallets?|data|session\w*)|exfil(?:trate)?_?(?:data|dom|files?|secrets?|creds?)?|grab_?(?:cookies|passwords|tokens)|dump_?(?:cookies|passwords|browser|creds|credentials))\b\s*(?:\(|['\"]?:)",
    ),
    "piped_to_shell": (
        r"(?:\b|\\n)(?:curl|wget)\s[^|;&\n]{0,200}[\w-]+\.[a-z]{2,}[^|;&\n]{0,300}\|\s*(?:sudo\s+)?(?:ba|z|da)?sh\b",
        r"(?:\beval\s+|\b(?:ba|z)?sh\s+-c\s+)[\"'`\\]{0,2}\$\((?:curl|wget)\b[^)\n]{0,300}https?://",
        r"(?:\bsource|\.|\b(?:ba|z)?sh)\s+<\((?:curl|wget)\b[^)\n]{0,300}https?://",
    ),
    "socket_shell": (
        r"/dev/tcp/[\w.$\{\}-]+/\d+|\bbash\s+-i\s+>&|\bnc(?:at)?\b.{0,60}\s-e\s*/?(?:bin/)?(?:ba|z)?sh|\bmkfifo\b.{0,80}\bnc\b|\bsocket\.socket\b.{0,200}\bdup2\b|\bpty\.spawn\([^)\n]{0,40}sh[\"']|\bdup2\(\s*\w+\.fileno\(\)",
    ),
    "hides_output": (r"\bnohup\b|>\s*/dev/null\s+2>&1\s*&|\bcreate_no_window\b|windowstyle\s+hidden",),
    "install_hook": (r"[\"'](?:pre|post)?install[\"']\s*:\s*[\"'](?:node|sh|bash|python3?|curl|wget|npx|\./)\b",),
    "mines_coins": (
        r"--algo[= ](?:randomx|rx/0|cryptonight|ethash|kawpow)|\bcoinimp\.|-o\s+\S*pool\S*:\d{3,5}\s+-u\s+\S{20,}|\bxmrig\b|\bstratum\+(?:tcp|ssl)://|\bminerd\b|\bcryptonight\b|\bcoinhive\b|\bnicehash\b.{0,60}\b(?:worker|wallet|pool)|\b(?:monero|xmr) (?:miner|mining pool)|\b--donate-level\b",
    ),
    "dns_tunnel": (
        r"\b(?:dig|nslookup|ping)\b[^|;\n]{0,60}(?:\$\(|\$\{?[a-z_]+\}?\.)[^\n]{0,120}\.[a-z0-9-]+\.[a-z]{2,}",
        r"(?:gethostbyname|getaddrinfo|resolver\.(?:resolve|query)|dns\.(?:lookup|resolve\w*))\(\s*f?[\"'`]?[^)\n]{0,40}(?:\{[^}\n]+\}|\+)[^)\n]{0,80}\.[a-z0-9-]+\.[a-z]{2,}",
    ),
    "system_file_write": (
        r">>?\s*/etc/(?:passwd|shadow|sudoers|hosts|crontab|profile|ld\.so\.preload|pam\.d|ssh)|open\(\s*[\"']/etc/(?:passwd|shadow|sudoers|hosts|crontab|ssh)[^\"']*[\"']\s*,\s*[\"'][wa]|nopasswd\s*:\s*all",
    ),
    "authorized_keys_write": (r"(?:>>?|tee(?: -a)?|open\(|write\w*\()[^\n]{0,80}authorized_keys",),
    "foreign_index": (
        r"[\w\]] @ https?://[^\s\"']{4,200}\.(?:whl|tar\.gz|zip)\b|--(?:extra-)?index-url[= \"',]+\s*[\"']?https?://|--registry[= ]\s*[\"']?https?://|[\"']?registry[\"']?\s*[:=]\s*[\"']?https?://|dependency_links\s*=",
    ),
    "metadata_override": (
        r"^\W{0,4}(?:tags?|keywords|metadata|capabilities|permissions|flags|mode)\b.{0,200}(?:admin|system|safety|security|content|policy|sudo|root)[_ -]?(?:override|bypass)|^\W{0,4}(?:tags?|keywords|metadata|flags)\b.{0,200}(?:bypass|disable|override|ignore)[_-](?:\w+[_-])?(?:filter|safety|security|guard\w*|policy|moderation|restrictions?)",
    ),
    "clipboard_swap": (r"\b(?:pyperclip|clipboard|pbpaste|xclip)\b.{0,200}\b(?:bc1|0x[a-f0-9]{6,}|wallet|address)",),
    "process_injection": (
        r"\b(?:virtualallocex|writeprocessmemory|createremotethread|ntmapviewofsection|setwindowshookex|reflectiveloader|process hollowing)\b",
    ),
    "shadow_copy_delete": (
        r"\bvssadmin\b.{0,40}delete|\bwbadmin\b.{0,40}delete|\bbcdedit\b.{0,60}recoveryenabled\s+no|\bcipher\s+/w:",
    ),
    "fork_bomb": (r":\(\)\s*\{\s*:\s*\|\s*:\s*&\s*\}\s*;\s*:",),
    "credential_tool": (
        r"\b(?:mimikatz|lazagne|sekurlsa|secretsdump|impacket|hashdump|procdump\b.{0,30}lsass|lsass\.dmp|rubeus|bloodhound)\b",
    ),
    "untrusted_checkout": (
        r"\bref\s*:\s*\$\{\{\s*(?:github\.event\.pull_request\.head\.(?:sha|ref)|github\.head_ref)",
    ),
    "editor_autorun": (
        r"[\"'](?:postcreatecommand|initializecommand|oncreatecommand|poststartcommand|postattachcommand|updatecontentcommand)[\"']\s*:.{0,120}(?:curl|wget|bash|sh |python|node|base64)",
    ),
    "git_exec_setting": (
        r"\bcredential\.helper\s+[\"']?!|\bcore\.(?:fsmonitor|sshcommand|gitproxy)\b|\bext::(?:sh|bash|cmd)|\bcore\.hookspath\b\s*[= ]\s*[\"']?(?:/tmp|~|\.\.|https?:)|\bgit_ssh_command\s*=",
    ),
    "trust_off": (
        r"\bnode_tls_reject_unauthorized\b[\"'\]]*\s*[:=]\s*[\"']?0|\bhttp\.sslverify\b[= ]+[\"']?false|--trusted-host\b|\bpythonhttpsverify\s*=\s*0",
    ),
    "lookup_injection": (r"\$\{(?:jndi|\$\{lower:j\})[:}]|<!entity\s+\S+\s+system\s+[\"'](?:file|https?):",),
    "path_traversal": (r"(?:\.\./){4,}(?:etc|root|home|proc|var|users|windows)\b|(?:\.\.\\){4,}(?:windows|users)",),
    "unlimited_spending": (
        r"\bapprove\([^)\n]{0,80}(?:maxuint256|2\s*\*\*\s*256|uint256\)\.max|0xf{20,})|\bsetapprovalforall\([^)\n]{0,60}true|\bvalue[\"']?\s*[:=]\s*[^\n]{0,40}get_?balance\(",
    ),
    "proxy_override": (r"\b(?:https?|all)_proxy[\"']?\s*[:=]\s*[\"']?https?://(?:[a-z0-9-]+\.)+[a-z]{2,}",),
    "path_hijack": (r"\bpath=[\"']?(?:/tmp|/var/tmp|/dev/shm|\./|~/\.(?:cache|hidden))[^:\n]{0,60}:\$path",),
    "command_alias": (r"\balias\s+(?:sudo|ssh|git|npm|pip3?|ls|cd|curl|su|passwd|gpg)=",),
    "prompt_command": (r"\bprompt_command\s*=|\btrap\s+[\"'][^\"'\n]{5,200}[\"']\s+debug\b",),
    "exposes_machine": (
        r"\bngrok\s+tcp\s+(?:22|3389|5900)\b|\bssh\b[^|;\n]{0,80}\s-R\s*\d+:|\bchisel\s+(?:client|server)\b|\bfrpc\b|\bcloudflared\b.{0,40}\b(?:ssh|tcp)://",
    ),
    "macos_secret_store": (
        r"\btcc\.db\b|\bsecurity\s+(?:dump-keychain|find-(?:generic|internet)-password)\b|/library/keychains\b|\bchainbreaker\b",
    ),
    "secret_capture": (
        r"\bscreencapture\s+-x\b|\bimagegrab\.grab\b|\bpyautogui\.screenshot\b|\bmss\.mss\(\)|\bgetdisplaymedia\(|\bpynput\b|\bkeylogger\b|\bgetasynckeystate\b|\bon_press\s*=",
    ),
    "cluster_admin": (
        r"\bclusterrolebinding\b.{0,120}\bcluster-admin\b|\bhostpid\s*:\s*true|\bkubectl\b.{0,60}\bget\s+secrets?\b.{0,60}(?:--all-namespaces|-a\b|-o\s*(?:json|yaml)).{0,60}(?:\||>)",
    ),
    "browser_profile_theft": (
        r"(?:google/chrome|brave-browser|microsoft/edge|chromium|firefox/profiles|opera software)[^\n\"']{0,80}(?:login data|cookies|local state|web data|key4\.db|logins\.json|extension settings)|\bcryptunprotectdata\b|\bbrowser_cookie3\b|--remote-debugging-port[^\n]{0,120}--user-data-dir",
    ),
    "extension_sideload": (
        r"--load-extension[= ]|--install-extension\b[^\n]{0,80}--force|--force[^\n]{0,40}--install-extension|\bextensioninstallforcelist\b",
    ),
    "glob_evasion": (r"(?:/etc/|\.ssh/|\.aws/|\.gnupg/|\.kube/)\w*\[\w\]\w*",),
    "reverse_code": (
        r"\b(?:deno|node|bun)\b[^\n]{0,80}[\"']data:[^\n]{0,40};base64,|\beval\(\s*(?:atob|unescape|decodeuricomponent|string\.fromcharcode|buffer\.from)\(|\bexec\(\s*(?:base64|codecs|zlib|marshal|bytes\.fromhex|__import__)|\bnew function\(\s*atob\(|\bfunction\(\s*p\s*,\s*a\s*,\s*c\s*,\s*k\s*,\s*e\s*,",
    ),
    "chat_bot_exfil": (
        r"(?:api\.telegram\.org/bot|discord(?:app)?\.com/api/webhooks/)[^\n]{0,200}(?:\.ssh|passw|cookie|wallet|\$\(|hostname|whoami)",
    ),
    "host_recon": (
        r"\b(?:whoami|hostname|uname -a|ifconfig|ipconfig|id)\b[^\n]{0,80}\|\s*(?:curl|nc|wget)\b|\b(?:curl|wget)\b[^\n]{0,160}\$\((?:whoami|hostname|id\b|cat )",
    ),
    "passwordless_root": (r"nopasswd\s*:\s*all",),
    "shell_hook": (
        r"[\"']command[\"']\s*:\s*[\"'].{0,40}(?:\b(?:ba|z)?sh\s+-l?c\b|\bpython3?\s+-c\b|\bcurl\b|\bwget\b|\bnode\s+-e\b|\beval\b|base64)",
    ),
    "web_shell": (
        r"\b(?:eval|assert|system|passthru|shell_exec|exec|popen)\s*\(\s*(?:base64_decode|gzinflate|str_rot13|\$_(?:get|post|request|cookie|server))",
        r"\buse socket\b.{0,300}\bexec\b|\btcpsocket\b.{0,200}\bexec\b|\bfsockopen\b.{0,200}\b(?:proc_open|exec)\b",
        r"\beval\s*\(?\s*(?:net::http\.get|open\(\s*[\"']https?:|urlopen|file_get_contents\s*\(\s*[\"']https?:)",
    ),
    "download_and_start": (
        r"\bcurl\b[^\n]{0,160}\s-o\s+[\"']?%?\w*temp%?\S*\s{0,3}(?:&&|&|;)[^\n]{0,80}|\bdownloadfile\(.{0,200}(?:start-process|invoke-item|\.\\|&\s)|\b(?:invoke-webrequest|iwr)\b.{0,200}-outfile.{0,120}(?:start-process|invoke-item|\.\\\w)|\bset-executionpolicy\s+(?:bypass|unrestricted).{0,300}(?:download|iwr|irm|invoke-web)",
    ),
    "saves_program": (
        r"https?://\S+\.(?:exe|msi|bat|ps1|scr|vbs|cmd|dll)\b[^\n]{0,80}(?:-outfile|-o\s|-destination)|\bdownloadfile\([^\n]{0,160}\.(?:exe|msi|bat|ps1|scr|vbs)",
    ),
    "starts_program": (r"\bstart-process\b|\binvoke-item\b|\bstart\s+/b\b|&\s*[\"']?\$env:temp",),
    "download_chmod": (
        r"\b(?:curl|wget)\b[^\n;&|]{0,200}https?://[^\n;&|]{0,160}(?:&&|;)\s*(?:sudo\s+)?chmod\s+(?:\+x|a\+x|0?7[05]{2})\b",
    ),
    "decodes_into_shell": (
        r"\bbase64\s+(?:-d|--decode|-di)\b[^\n]{0,120}\|\s*(?:sudo\s+)?(?:(?:ba|z|da|k)?sh|python3?|node|perl|ruby|osascript|xargs\s[^|\n]{0,60}\b(?:curl|wget|(?:ba|z)?sh))\b",
        r"\b(?:xxd\s+-r|gunzip|zcat|openssl\s+(?:enc|base64)\s[^|\n]{0,60}-d)\b[^\n]{0,60}\|\s*(?:ba|z|da)?sh\b",
    ),
    "windows_decoded_command": (
        r"frombase64string\([^\n]{0,400}\b(?:iex|invoke-expression)\b|\b(?:iex|invoke-expression)\b[^\n]{0,200}(?:frombase64string|encoding\]::\w+\.getstring)",
    ),
    "network_command_loop": (
        r"\.on\(\s*[\"'](?:message|data)[\"']\s*,[^\n]{0,80}\b(?:execsync|exec|spawn|spawnsync|eval)\(",
        r"net\.sockets\.tcpclient\b[^\n]{0,600}\b(?:iex|invoke-expression)\b",
    ),
    "opens_raw_socket": (
        r"\btcpsocket\.(?:new|open)\b|\bnet\.dial\(|\bnet\.sockets\.tcpclient\b|\bfsockopen\(|\binet_aton\(|\bio::socket::inet\b",
    ),
    "runs_raw_shell": (
        r"\bio\.popen\b|exec\.command\(\s*\"(?:/bin/)?(?:ba|z)?sh\"|exec\.command\(\s*\"(?:cmd|powershell)|\bproc_open\(|/bin/(?:ba)?sh\s+-i\b",
    ),
    "scriptblock_run": (
        r"&\s*\(?\[scriptblock\]::create\(|\bpowershell\b[^\n]{0,60}hidden[^\n]{0,120}(?:iwr|irm|invoke-webrequest|downloadfile)|wscript\.shell[^\n]{0,200}(?:powershell|cmd)[^\n]{0,100}https?://|\bget-childitem\s+env:[^\n]{0,120}(?:irm|iwr|invoke-\w+)",
        r"\bcfunctype\([^\n]{0,60}\)\([^\n]{0,60}(?:addressof|cast)|\bvirtualalloc\b",
        r"\b(?:os\.popen|os\.system|subprocess\.\w+)\(\s*request\.(?:args|form|json|values|get_json|data)|\b(?:exec|execsync)\(\s*req\.(?:query|body|params)",
        r"\beval\s*\(?\s*get\(\s*[\"']https?:|\bgetattr\(\s*__import__\(",
    ),
    "drops_database": (r"\.execute\(\s*[\"'](?:drop (?:schema|database)|truncate)\b[^\n]{0,60}(?:cascade|public|\*)",),
    "remote_eval": (
        r"\bfetch\([^\n]{0,200}\.then\([^\n]{0,160}\b(?:eval|function)\(|\bhttps?\.get\([^\n]{0,400}\b(?:eval|new function)\(|\bimport\(\s*[\"'`]https?://",
    ),
    "page_data_sent": (
        r"\.src\s*=\s*[^\n]{0,120}https?://[^\n]{0,160}(?:document\.cookie|localstorage|sessionstorage)|\bsendbeacon\([^\n]{0,200}(?:document\.cookie|localstorage)",
    ),
    "raw_upload": (r"\bopenssl\s+s_client\b[^\n]{0,120}<\s*\S+",),
    "forces_secret_into_git": (r"\bgit\s+add\s+(?:-f|--force)\s[^\n]{0,60}(?:\.env|\.pem|credential|secret|id_rsa)",),
    "adds_git_remote": (r"\bgit\s+remote\s+(?:add|set-url)\s[^\n]{0,60}https?://",),
    "windows_destroys": (
        r"\bremove-item\b[^\n]{0,80}(?:\$home|\$env:userprofile|c:\\+users)[\\/*\"']{0,4}(?:\s|$)|\b(?:del|rd|rmdir)\s+/s[^\n]{0,40}(?:c:\\+users|%userprofile%|c:\\+\*)|\bformat\s+c:",
    ),
    "encrypts_in_place": (r"write_bytes\([^\n]{0,80}encrypt\(|\.write\([^\n]{0,60}encrypt\([^\n]{0,60}\bread",),
    "walks_files": (r"\brglob\(|\bos\.walk\(|\bglob\.i?glob\(|\breaddirsync\(",),
    "builds_text_from_codes": (
        r"\bchr\([^)\n]{0,20}\^|\bchr\(\w+\)\s+for\b|\bmap\([^\n]{0,40}fromcharcode|\bfromcharcode\(\.\.\.",
    ),
    "runs_on_install": (r"\bcmdclass\s*=\s*\{[^\n]{0,60}\b(?:install|develop|egg_info|build_py)\b",),
    "hidden_program": (
        r"(?:\bnohup|\bpython3?|\bbash|\bsh|\bexec|execstart\s*=|system\(|popen\()\s*[\"'(\[]{0,2}\s*(?:~|\$home|%h|/tmp|/var/tmp|/dev/shm)\S{0,60}/\.[\w-]+",
    ),
    "hidden_job": (r"(?:\*\s+\*|@reboot|@daily|@hourly)\s+\S{0,40}/\.[\w-]+/",),
    "workflow_sends": (
        r"^\W{0,12}run:.{0,200}\b(?:curl|wget|nc)\b.{0,160}(?:-d|--data\S*|-f|-t|--post-\w+)[= ]?[\"'@$]",
    ),
    "mcp_from_url": (r"\"args\"\s*:\s*\[[^\]\n]{0,80}https?://[^\]\n]{0,120}\.(?:tgz|tar\.gz|zip|js|mjs|py)\b",),
    "admin_prompt": (r"do shell script[^\n]{0,200}with administrator privileges",),
    "looks_for_sandbox": (
        r"(?:vmware|virtualbox|vbox|qemu|hyper-v|sandboxie|wireshark|procmon|ollydbg).{0,120}(?:exit|quit|return|abort)|/sys/class/dmi/id/.{0,200}(?:vmware|virtual|qemu)|\bisdebuggerpresent\b|\bptrace_traceme\b",
    ),
    "workflow_secret_sent": (
        r"\b(?:curl|wget)\b[^\n]{0,200}(?:-d|--data(?:-\w+)?|-f|--form)[= ]?\s*[\"'@]?[^\n]{0,80}\$\{\{\s*secrets\.",
    ),
    "starts_from_hidden": (
        r"^\s*execstart\s*=\s*(?:/tmp|/var/tmp|/dev/shm|\S*/\.[\w-]+)|<string>(?:/tmp|/var/tmp|/users/[^<]{0,60}/\.)[^<]{0,100}</string>",
    ),
    "network_share_run": (
        r"\bnet use\b.{0,160}(?:&&|&|;).{0,80}\.(?:bat|cmd|exe|ps1|vbs|lnk)|\\\\[\w.-]+@(?:ssl@)?\d+\\|\bdavwwwroot\b",
    ),
    "prompt_expansion": (r"\$\{\w+@p\}",),
    "assumable_by_all": (r"\b(?:aws|principal)[\"']?\s*:\s*[\"']?\*[\"']?\s*$|policy/administratoraccess\b",),
    "deletes_logs": (
        r"\brm\s+-[a-z]*r[a-z]*\s[^\n]{0,160}/var/log\b|\b(?:truncate|shred|: ?>)\s[^\n]{0,80}/var/log/|>\s*/var/log/(?:auth|syslog|secure|wtmp|lastlog)",
    ),
}
