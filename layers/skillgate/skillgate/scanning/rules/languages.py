"""The same orders in other languages: an agent reads them all. These widen the concepts of the same name.

Patterns are RE2 and see one sentence in lower case, with markup and line breaks gone.
"""

# ruff: noqa: E501 - a pattern reads better in one piece, and other alphabets are its point

from __future__ import annotations

_AWAY = r"(?:https?://|[\w.+-]+@[\w-]+\.\w{2,})"

LANGUAGES: dict[str, tuple[str, ...]] = {
    "overrides_instructions": (
        r"(?:haz caso omiso|ignora|ignore|olvida|descarta|no sigas|no hagas caso|pasa por alto).{0,25}(?:instrucciones|indicaciones|órdenes|reglas|lo anterior|todo lo que)",
        r"(?:ignore|ignora|esqueça|esquece|desconsidere|descarte|não siga).{0,25}(?:instruções|orientações|ordens|regras|tudo o que)",
        r"(?:ignore[zr]?|oublie[zr]?|ne (?:tiens|tenez) pas compte|ne (?:suis|suivez) (?:pas|plus)|fais abstraction|faites abstraction).{0,25}(?:instructions|consignes|règles|ordres|directives|tout ce qu)",
        r"(?:ignorier\w*|vergiss|vergessen sie|missachte\w*|beachte\w* nicht|verwirf).{0,30}(?:anweisung|vorgabe|regel|instruktion|befehl|alles,? was)",
        r"(?:игнориру|забуд|проигнорируй|не учитывай|отмени|не следуй|отбрось).{0,20}(?:предыдущ|прежн|системн|все |всё|ранее|прошл|сказанн|исходн).{0,30}(?:инструкци|указани|правил|команд|сказан|выше|до этого)?",
        r"(?:忽略|无视|忘记|忘掉|不要理会|不要遵守|抛弃|忽視|無視|忘記).{0,8}(?:之前|以前|上面|以上|所有|先前|系统|系統|前面|此前|收到).{0,10}(?:指令|指示|规则|規則|说明|提示|命令|要求|内容)",
        r"(?:これまで|以前|上記|前|システム|すべて)(?:の|に).{0,8}(?:指示|命令|ルール|プロンプト|指令).{0,10}(?:無視|忘れ|破棄|従わない)",
        r"(?:이전|위의|모든|지금까지|시스템).{0,14}(?:지시|명령|지침|규칙|프롬프트).{0,12}(?:무시|잊|따르지)",
        r"(?:ignora|dimentica|trascura|scarta).{0,25}(?:istruzioni|regole|indicazioni|ordini|tutto ciò)",
    ),
    "hides_from_user": (
        r"\b(?:no debe(?:n)? saber|ne doi(?:t|vent) pas savoir|não deve saber|non deve sapere|sage? (?:\w+ )?nichts (?:über|davon|von)|verschweige|darf (?:es )?nicht (?:wissen|erfahren))",
        r"\b(?:no|sin) (?:se lo |le |lo )?(?:digas|diga|cuentes|informes|informar|menciones|mencionar|avises|avisar|reveles|muestres|mostrar)\b.{0,40}\b(?:usuario|cliente|persona)|sin que (?:el |la )?(?:usuario|cliente)\w* (?:lo )?(?:sepa|note|vea|se entere)",
        r"\bnão (?:conte|diga|informe|mencione|revele|avise|mostre)\b.{0,30}\b(?:usuário|utilizador|cliente)|sem (?:que o usuário saiba|informar o usuário|avisar)",
        r"\bsans (?:prévenir|avertir|informer|le dire à|en parler à|que)\b.{0,20}\b(?:l'utilisateur|utilisateur|client)|\bne (?:le )?(?:dis|dites|mentionne|mentionnez|révèle|révélez|préviens|prévenez|montre|montrez)\b.{0,20}\b(?:pas|jamais|rien)\b.{0,25}\b(?:utilisateur|client)",
        r"\bohne (?:den |dass der |es dem |dem )?(?:benutzer|nutzer|anwender|kunden)\b.{0,30}\b(?:informieren|sagen|wissen|bemerk|merk|mitzuteilen)|\b(?:sag|sage|erzähl|erzähle|verrate|teile|zeige|erwähne)\b.{0,40}\b(?:benutzer|nutzer|anwender)\b.{0,15}\b(?:nicht|nichts)\b|\berwähne (?:das|dies|es) nicht\b",
        r"(?:не (?:говори|сообщай|упоминай|рассказывай|показывай|уведомляй|раскрывай)).{0,40}(?:пользовател|клиент|владельц|об этом)|(?:без ведома|тайно|незаметно|скрытно|втайне).{0,30}(?:пользовател|отправ|выполн|скопир|загруз)",
        r"(?:不要|不得|别|勿|不能|不必|无需|切勿).{0,6}(?:让|讓|告诉|告知|通知|提及|透露|告訴|提醒|显示给|向).{0,8}(?:用户|用戶|使用者|客户|对方)|(?:偷偷|秘密|暗中|悄悄)(?:地)?(?:发送|上传|执行|复制|收集|安装)",
        r"ユーザー(?:に|には|へ).{0,16}(?:知らせ|伝え|言わ|通知し|報告し|見せ|明かさ)ない|ユーザーに(?:内緒|気づかれ|秘密)",
        r"사용자(?:에게|가|한테|는).{0,14}(?:알리지|말하지|언급하지|보여주지|모르게|눈치채지)|몰래 (?:전송|업로드|실행|복사)",
        r"\b(?:unbemerkt|heimlich)\b.{0,40}(?:sende|übertrag|überweis|kopier|lade|install|lösch|schick)|\bn'en parle[zr]? (?:pas|jamais)\b|\ben secret\b.{0,30}\b(?:envoie|copie|installe)",
        r"\bsenza (?:informare|avvisare|dirlo a|che l'utente)|\bnon (?:dire|dirlo|rivelare|menzionare)\b.{0,25}\butente",
    ),
    "sends_private_data": (
        rf"\b(?:envía|envíe|enviar|manda|sube|copia|transmite|publica)\b.{{0,80}}\b(?:contenido|archivo|claves?|contraseñas?|credenciales|variables|conversación|historial|datos|secretos?|tokens?|\.env|~/).{{0,60}}{_AWAY}",
        rf"\b(?:envie|envia|enviar|mande|copie|transmita|publique)\b.{{0,80}}(?:conteúdo|arquivo|chaves?|senhas?|credenciais|variáveis|conversa|histórico|dados|segredos?|tokens?|\.env|~/).{{0,60}}{_AWAY}",
        rf"\b(?:envoie|envoyez|envoyer|transmets|transmettez|copie|copiez|téléverse)\b.{{0,80}}(?:contenu|fichier|clés?|mots? de passe|identifiants|variables|conversation|historique|données|secrets?|jetons?|\.env|~/).{{0,60}}{_AWAY}",
        rf"(?:\b(?:sende|senden|schicke|kopiere|lade)\b|übertrage|übermittle).{{0,80}}(?:inhalt|datei|schlüssel|passw[oö]rt\w*|zugangsdaten|umgebungsvariablen|gesprächsverlauf|verlauf|daten|geheimnis\w*|token|\.env|~/).{{0,60}}{_AWAY}",
        rf"(?:отправ|перешли|загрузи|скопируй|передай|выложи).{{0,80}}(?:содержим|файл|ключ|парол|учётн|учетн|переменн|переписк|истори|данны|секрет|токен|\.env|~/).{{0,60}}{_AWAY}",
        rf"(?:发送|上传|传送|提交|复制|转发|發送|上傳).{{0,40}}{_AWAY}|(?:把|将|將).{{0,30}}(?:内容|文件|密钥|密码|凭证|变量|对话|历史|数据|令牌|私钥|\.env|~/).{{0,40}}{_AWAY}",
        rf"(?:内容|ファイル|鍵|パスワード|認証情報|環境変数|会話|履歴|データ|トークン|\.env|~/).{{0,40}}{_AWAY}.{{0,20}}(?:送信|送って|アップロード|転送|投稿)",
        rf"(?:내용|파일|키|비밀번호|자격|환경 ?변수|대화|기록|데이터|토큰|\.env|~/).{{0,40}}{_AWAY}.{{0,20}}(?:전송|보내|업로드|전달)",
    ),
    "lies_to_user": (
        r"si (?:el |la )?usuari\w+ pregunta.{0,80}(?:niégalo|niega|di que no|miente)|si l'utilisateur demande.{0,80}(?:nie|niez|mens|mentez)|wenn der (?:be)?nutzer fragt.{0,80}(?:leugne|bestreite|lüge)|если пользователь спросит.{0,80}(?:отрицай|солги|скажи,? что нет)|如果用户(?:问|询问).{0,40}(?:否认|说没有|撒谎)",
    ),
    "acts_unasked": (
        r"\bne (?:demande[zr]?|demander) (?:jamais|pas) (?:de |la |une )?(?:confirmation|permission|l'accord)|\bno (?:pidas|solicites|esperes) (?:nunca )?(?:confirmación|permiso)|\bnão peça (?:confirmação|permissão)|\bfrage nicht nach\s*[.;!,]?$|\bfrage (?:nie|niemals) (?:nach|um)",
        r"не (?:спрашивай|запрашивай|проси).{0,20}(?:подтвержден|разрешен|согласи)|(?:不要|无需|不用)(?:询问|請示|请示|確認|确认)(?:用户|用戶)",
        r"\b(?:borra|borrar|elimina|eliminar|transfiere|paga|publica|despliega|ejecuta|instala)\b.{0,60}\bsin (?:pedir|solicitar|esperar|preguntar)\b",
        r"\b(?:apague|exclua|delete|transfira|pague|publique|execute|instale)\b.{0,60}\bsem (?:pedir|solicitar|perguntar|confirmar)",
        r"\b(?:supprime[zr]?|efface[zr]?|transfère|virez|paie|payez|publie|déploie|exécute[zr]?|installe[zr]?)\b.{0,60}\bsans (?:demander|confirmation|attendre|l'accord)",
        r"(?:\b(?:lösche\w*|bezahle\w*|veröffentliche|führe|installiere)\b|überweise).{0,60}\bohne (?:rückfrage|bestätigung|zu fragen|nachfrage|zustimmung)",
        r"(?:удал|перевед|оплат|опублику|выполн|установ|запус).{0,60}без (?:подтвержд|спрос|соглас|разреш|запроса)",
        r"(?:无需|不必|不要|不用|无须|無需).{0,8}(?:征求|询问|确认|同意|批准|詢問|請求).{0,20}(?:删除|转账|支付|执行|部署|发布|安装|清空|刪除)|(?:直接|立即|立刻)(?:删除|转账|支付|清空|刪除)",
        r"(?:確認|許可|承認|同意)(?:なし|せず|を求めず|を得ず|なく).{0,20}(?:削除|送金|支払|実行|デプロイ|公開|インストール)",
        r"(?:확인|동의|승인|허락)(?: 없이|을 받지 않고|하지 않고).{0,20}(?:삭제|송금|결제|실행|배포|설치)",
    ),
    "treats_content_as_orders": (
        r"(?:obtén|obtener|descarga|lee|consulta)\b.{0,40}instrucciones.{0,60}https?://.{0,80}\b(?:síguelas|sigue|ejecútalas|ejecuta|cúmplelas)",
        r"(?:baixe|obtenha|leia|busque)\b.{0,40}(?:instruções|comandos).{0,60}https?://.{0,80}\b(?:siga|execute|cumpra)",
        r"(?:télécharge[zr]?|récupère|récupérez|lis|lisez)\b.{0,40}(?:instructions|consignes|commandes).{0,60}https?://.{0,80}\b(?:suis|suivez|exécute[zr]?|applique[zr]?)",
        r"(?:lade|hole|lies)\b.{0,40}(?:anweisungen|befehle|instruktionen).{0,60}https?://.{0,80}\b(?:befolge|führe|folge)",
        r"(?:загрузи|скачай|получи|прочитай).{0,40}(?:инструкци|команд|указани).{0,60}https?://.{0,60}(?:выполн|следуй|исполн)",
        r"https?://.{0,40}(?:获取|下载|读取|拉取|獲取).{0,12}(?:指令|命令|指示|任务|提示).{0,12}(?:执行|遵循|照做|執行)|(?:获取|下载|读取).{0,12}https?://.{0,40}(?:执行|遵循|照做)",
        r"https?://.{0,40}(?:指示|命令|コマンド).{0,20}(?:取得|読み).{0,20}(?:従|実行)",
        r"https?://.{0,40}(?:지시|명령|지침).{0,20}(?:가져|읽|다운로드).{0,20}(?:따르|실행)",
    ),
    "asks_for_secret": (
        r"\b(?:pídele|pide|solicita|pregunta|pida)\b.{0,30}\b(?:usuario|cliente)\b.{0,30}(?:frase semilla|frase de recuperación|clave privada|contraseña|código de verificación)",
        r"\b(?:peça|solicite)\b.{0,30}\b(?:usuário|cliente)\b.{0,30}(?:frase[- ]semente|frase de recuperação|chave privada|senha)",
        r"\b(?:demande[zr]?)\b.{0,30}\b(?:utilisateur|client)\b.{0,30}(?:phrase (?:de récupération|secrète)|clé privée|mot de passe)",
        r"\b(?:bitte|frage|fordere)\b.{0,30}\b(?:benutzer|nutzer)\b.{0,40}(?:seed|wiederherstellungs\w+|privaten schlüssel|passwort|kennwort)",
        r"(?:попроси|запроси|пусть).{0,30}пользовател.{0,40}(?:сид|seed|мнемо|приватн\w* ключ|парол|фраз)",
        r"(?:让|请|要求|請).{0,6}(?:用户|用戶).{0,12}(?:输入|提供|粘贴|发送|輸入).{0,8}(?:助记词|私钥|密码|验证码|助記詞|私鑰)",
        r"ユーザーに.{0,16}(?:シードフレーズ|秘密鍵|パスワード|リカバリーフレーズ).{0,12}(?:入力|尋ね|提供)",
        r"사용자에게.{0,16}(?:시드|복구 문구|개인 ?키|비밀번호).{0,12}(?:입력|요청|제공)",
    ),
    "addresses_judge": (
        r"\b(?:hinweis|nachricht|an) (?:an )?(?:den|die|alle) (?:\w+ )?(?:prüfer|gutachter|scanner|reviewer)\b.{0,120}(?:sicher|freigegeben|genehmig|bestehen|unbedenklich)",
        r"(?:审核者|审查者|扫描器|评审|審核者|评估模型).{0,40}(?:批准|通过|安全|跳过|无风险|通過)",
        r"(?:nota|mensaje) (?:para|al) (?:el |los )?(?:revisor|auditor|escáner|evaluador)\w*\b.{0,120}(?:segur|aprob|omit)",
        r"(?:note|message) (?:pour|à|au) (?:le |les |l')?(?:relecteur|réviseur|auditeur|évaluateur|scanner)\w*\b.{0,120}(?:sûr|approuv|ignor)",
        r"(?:для|внимание).{0,12}(?:проверяющ|рецензент|сканер|аудитор|модератор).{0,80}(?:безопас|одобр|пропуст)",
        r"(?:レビュアー|審査|スキャナ).{0,40}(?:承認|安全|スキップ)|(?:검토자|심사|스캐너).{0,40}(?:승인|안전|건너)",
    ),
    "forbids": (
        r"\b(?:nunca|jamás|jamais|niemals|non|не|никогда|não|no debes|ne jamais|n'envoyez)\b.{0,20}\b(?:envíe\w*|envi\w+|envoy\w+|send\w*|schick\w*|отправля\w*|pida\w*|pidas|demand\w+|frag\w*)",
    ),
}
