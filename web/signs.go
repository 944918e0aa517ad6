package web

import (
	"net/http"
	"regexp"
	"strings"

	"github.com/quarry-sdk/quarry/internal/lazyregexp"
)

// place is where a sign is looked for.
type place string

const (
	inURL     place = "url"     // the final URL, in lower case
	inTitle   place = "title"   // the title, whole or up to a separator
	inH1      place = "heading" // a heading of the first level, whole
	inText    place = "text"    // the visible text, in lower case
	inMarkup  place = "markup"  // the page as it is written, in lower case
	inButtons place = "button"  // the label of a button, whole
	inHeaders place = "header"  // the header of the answer
	inShadow  place = "noscript"
)

// force is how much a sign says.
type force int

const (
	// hint counts only beside another sign of the same outcome.
	hint force = iota + 1
	// words are what a wall says, and what a page about walls may quote: they count
	// where there is next to nothing else on the page.
	words
	// proof is what only walls have: it counts where the page has no article.
	proof
)

// sign is something that walls show.
type sign struct {
	outcome Outcome
	name    string
	where   place
	force   force
	// keys are words of which the pattern needs one: looking for them first saves
	// time on large pages. None means that they do not matter.
	keys    string
	pattern func() *regexp.Regexp
}

// signs are those that tell walls from pages. Titles and headings are compared
// whole, so that an article about a wall is none.
var signs = []sign{
	{Blocked, "cloudflare_challenge", inMarkup, proof, "_cf_chl challenge- cf-", lazyregexp.New(`window\._cf_chl_opt|id="challenge-(?:form|error-text|running|stage|error-title)"|/cdn-cgi/challenge-platform/h/\w/orchestrate|cf-browser-verification|cf-im-under-attack`)},
	{Blocked, "cloudflare_block", inMarkup, proof, "cf-error-details", lazyregexp.New(`id="cf-error-details"|class="cf-error-details`)},
	{Blocked, "datadome", inMarkup, proof, "captcha-delivery dd={", lazyregexp.New(`captcha-delivery\.com/(?:captcha|interstitial|c\.js|i\.js)|var dd=\{`)},
	{Blocked, "perimeterx", inMarkup, proof, "px-captcha _pxblock /px/client captcha.px _pxuuid", lazyregexp.New(`id="px-captcha|window\._pxblock|/px/client/main\.min\.js[^>]*captcha|captcha\.px-c(?:dn|loud)\.net|window\._pxuuid`)},
	{Blocked, "akamai", inMarkup, proof, "edgesuite /_sec/ sec-if-cpt /_bm/", lazyregexp.New(`errors\.edgesuite\.net|/_sec/cp_challenge/|sec-if-cpt-container|/_bm/_data`)},
	{Blocked, "imperva", inMarkup, proof, "incapsula", lazyregexp.New(`_incapsula_resource\?(?:cwudnsai|[^"']*incident_id)|incapsula incident id`)},
	{Blocked, "aws_waf", inMarkup, proof, "awswaf goku", lazyregexp.New(`awswafintegration\.(?:gettoken|checkforcerefresh|forcerefreshtoken|savereferrer)|window\.gokuprops|captcha\.awswaf\.com|awswafcaptcha`)},
	{Blocked, "kasada", inMarkup, proof, "149e9513 kpsdk", lazyregexp.New(`149e9513-01fa-4fb0-aad4-566afd725d1b|window\.kpsdk\s*=`)},
	{Blocked, "sucuri", inMarkup, proof, "sucuri", lazyregexp.New(`sucuri_cloudproxy_js|sucuri website firewall - access denied`)},
	{Blocked, "ddos_guard", inMarkup, proof, "ddos-guard", lazyregexp.New(`/\.well-known/ddos-guard/|check\.ddos-guard\.net`)},
	{Blocked, "proof_of_work", inMarkup, proof, "anubis gammaspectra", lazyregexp.New(`/\.within\.website/x/cmd/anubis|id="anubis_challenge"|/\.well-known/\.git\.gammaspectra\.live/`)},
	{Blocked, "f5", inMarkup, proof, "/tspd/ bobcmn administrator", lazyregexp.New(`/tspd/[0-9a-f]+|window\["bobcmn"\]|the requested url was rejected\. please consult with your administrator`)},
	{Blocked, "distil", inMarkup, proof, "distil", lazyregexp.New(`distil_r_captcha|distilcallbackguard|distil_identification_block`)},
	{Blocked, "aliyun_waf", inMarkup, proof, "acw_sc aliyun", lazyregexp.New(`acw_sc__v2|aliyun_waf_aa|nocaptcha\.aliyun`)},
	{Blocked, "vercel_checkpoint", inMarkup, proof, "vercel", lazyregexp.New(`/\.well-known/vercel/security/|vercel security checkpoint`)},
	{Blocked, "search_captcha", inURL, proof, "", lazyregexp.New(`^https?://[^/]+/sorry/(?:index|index\.html)?\?|/errors/validatecaptcha|^https?://wappass\.baidu\.com/|/showcaptcha(?:fast)?\?|/antispider`)},
	{Blocked, "waf_header", inHeaders, proof, "", lazyregexp.New(`(?m)^(?:cf-mitigated: challenge|x-amzn-waf-action: (?:captcha|challenge)|x-datadome: protected|x-vercel-mitigated: (?:challenge|deny)|x-kpsdk-ct: .+)$`)},
	{Blocked, "check_title", inTitle, words, "", lazyregexp.New(`^(?:just a moment|one moment,? please|please wait|einen moment(?: bitte)?|nur einen moment|un momento|un instant|um momento|een moment geduld|bir dakika lütfen|один момент|請稍候|请稍候|稍等片刻|しばらくお待ちください|잠시만 기다리십시오)[.…]*$` +
		`|^(?:attention required!?|access (?:to this page has been |is )?(?:denied|blocked)|you have been blocked|you are being rate limited|are you (?:a )?(?:robot|human)\??|robot or human\??|robot check|bot (?:check|verification|detection)|human verification|security (?:check|verification)(?: required)?|verif(?:y|ying)(?: that)? you(?: are|['’]re) (?:a )?human|captcha(?: check| challenge| required)?|ddos protection by .*|pardon our interruption|request (?:rejected|blocked)|making sure you(?: are|['’]re) not a bot!?|blocked|forbidden|403 forbidden|error 1020)[.…!]*$` +
		`|^(?:zugriff verweigert|sicherheitsüberprüfung|accès refusé|accès bloqué|vérification de sécurité|acceso denegado|acceso bloqueado|verificación de seguridad|accesso negato|acesso negado|verificação de segurança|доступ (?:ограничен|запрещ[её]н)|вы не робот\??|проверка (?:браузера|безопасности)|odmowa dostępu|erişim engellendi|toegang geweigerd|访问(?:被拒绝|受限|异常)|禁止访问|(?:百度)?安全验证|人机验证|验证码|請完成安全驗證|驗證碼|アクセスが拒否されました|ロボットではありません|접근이 거부되었습니다|보안 확인|تم رفض الوصول|התחברות נחסמה)[.…!？?]*$`)},
	{Blocked, "check_heading", inH1, words, "", lazyregexp.New(`^(?:checking (?:if the site connection is secure|your browser(?: before accessing .*)?)|verify (?:that )?you are (?:a )?human(?: by completing the action below)?|(?:sorry, )?you have been blocked|access denied|access to this page has been denied|are you a robot\??|please (?:verify|confirm) (?:that )?you are (?:a )?human|why have i been blocked\??|pardon our interruption|one more step|press (?:&|and) hold|sicherheitsüberprüfung|verifica que eres humano|请完成安全验证|安全验证|人机验证)[.…!]*$`)},
	{Blocked, "check_words", inText, words, "", lazyregexp.New(`(?:verify|confirm|prove)(?: that)? you(?: are|['’]re) (?:a )?(?:human|not a (?:ro)?bot)|checking (?:if the site connection is secure|your browser before accessing|your browser\.)|unusual traffic from your (?:computer )?network|(?:needs to )?review the security of your connection|enable (?:javascript and cookies|cookies and javascript) to continue|complete (?:the|this) (?:security check|captcha|challenge)|(?:press|click) (?:&|and) hold|enter the characters you see|we believe you are using automation tools|this (?:request|action) (?:was|has been) blocked by (?:the|our) security|security service to protect itself from online attacks|you don['’]t have permission to access|your ip (?:address )?has been (?:temporarily )?blocked|i['’]m not a robot` +
		`|bestätigen sie,? dass sie (?:ein mensch|kein roboter)|überprüfung,? ob sie ein mensch|(?:confirm[ae]|verifi(?:que|car|ca)) que (?:usted )?(?:es|eres|no es|no eres) (?:un )?(?:humano|robot)|(?:vérifi|confirm)(?:ez|er|ons) que vous (?:êtes|n['’]êtes pas)(?: bien)?(?: un)? (?:humain|être humain|robot)|confirm(?:e|ar) que (?:você )?(?:é humano|não é um robô)|(?:conferma|verifica)(?:re)? (?:di|che) (?:non )?(?:essere|sei) (?:un )?(?:umano|robot)|(?:подтвердите|докажите),? что (?:вы )?не робот|запросы,? (?:поступившие|отправленные) с вашего|bevestig dat je (?:een mens|geen robot)|potwierdź,? że (?:jesteś człowiekiem|nie jesteś robotem)|robot olmadığınızı` +
		`|请(?:先)?(?:完成|进行|通过)(?:安全|人机|以下|下方|滑块)?验证|请输入(?:图中|图片)?的?验证码|(?:您|你)的(?:访问|请求)(?:过于频繁|出现异常|存在异常)|(?:您|你)的网络环境存在异常|確認您是真人|ロボットではないことを(?:確認|証明)|人間であることを確認|로봇이 아(?:닙니다|님을)|사람인지 확인|تحق[قّ]*(?:ق)? (?:من )?أن(?:ك|ّك) (?:إنسان|لست روبوت)`)},
	{Blocked, "captcha_widget", inMarkup, hint, "captcha turnstile arkoselabs geetest", lazyregexp.New(`class="(?:g-recaptcha|h-captcha|cf-turnstile|frc-captcha|geetest)|hcaptcha\.com/1/api\.js|google\.com/recaptcha/(?:api|enterprise)\.js|recaptcha\.net/recaptcha/|challenges\.cloudflare\.com/turnstile|client-api\.arkoselabs\.com|geetest\.com|captcha\.qq\.com|name="captcha|id="captcha|<img[^>]+captcha`)},

	{Login, "login_url", inURL, hint, "", lazyregexp.New(`^https?://(?:accounts?|login|signin|auth|sso|idp|id|passport|cas)\.|[/_.-](?:log-?in|sign-?in|log-?on|auth|oauth2?|sso|saml2?|cas|authenticate|account/login|users/sign_in|checkpoint|authwall|anmelden|connexion)(?:[/?&.#]|$)`)},
	{Login, "login_title", inTitle, words, "", lazyregexp.New(`^(?:(?:sign|log) ?in(?: or (?:sign|join).*| (?:to|with) .{1,40})?|login|log ?on|(?:user|member|account|customer|subscriber) (?:login|sign ?in)|please (?:log|sign) in.*|anmeld(?:en|ung)|einloggen|connexion|se connecter|identifiez-vous|iniciar sesión|inicia sesión|acceder|accedi|entrar|fazer login|iniciar sessão|inloggen|logga in|log ind|logg inn|kirjaudu(?: sisään)?|zaloguj(?: się)?|logowanie|přihlášení|bejelentkezés|giriş(?: yap)?|вход(?: на сайт| в систему)?|войти|авторизация|увійти|σύνδεση|登录|登入|用户登录|会员登录|ログイン|로그인|تسجيل الدخول|כניסה|התחברות|đăng nhập|masuk)[.…!]*$`)},
	{Login, "login_words", inText, words, "", lazyregexp.New(`(?:you (?:must|need to|have to) (?:be (?:logged|signed) in|log ?in|sign ?in)|(?:please )?(?:log|sign) ?in to (?:continue|view|access|see|read)|this (?:page|content) is (?:only )?(?:available|visible) (?:only )?to (?:registered|logged[- ]in) (?:users|members)|bitte (?:melden sie sich an|loggen sie sich ein)|veuillez vous (?:connecter|identifier)|debes? iniciar sesión|inicia sesión para|devi (?:accedere|effettuare l['’]accesso)|é necessário (?:fazer login|iniciar sessão)|необходимо (?:войти|авторизоваться)|请先?登录(?:后)?|請先登入|ログインしてください|로그인이 필요|로그인 후)`)},

	{ConsentWall, "consent_url", inURL, words, "", lazyregexp.New(`^https?://(?:consent|consents|myprivacy|privacy-?(?:gate|wall|mgmt)|cmp|guce)\.|/(?:consent|cookie-?(?:wall|consent|check)|privacy-?(?:gate|wall)|gdpr-?consent|collectconsent)(?:[/?.]|$)`)},
	{ConsentWall, "consent_markup", inMarkup, hint, "consent cookie optanon onetrust privacy-center didomi usercentrics quantcast sourcepoint sp-prod sp_message cmp. trustarc iubenda klaro axeptio __tcfapi", lazyregexp.New(`consent\.(?:google|youtube|yahoo)\.|cdn\.cookielaw\.org|optanon|onetrust|sdk\.privacy-center\.org|didomi|app\.usercentrics\.eu|usercentrics|consent\.cookiebot\.com|cybotcookiebot|quantcast\.mgr\.consensu|cmp\.quantcast|sourcepoint|sp-prod\.net|sp_message|consentmanager\.net|cmp\.inmobi|trustarc|iubenda|klaro|axeptio|cookiefirst|cookie-?(?:wall|banner|consent|notice)|__tcfapi`)},
	{ConsentWall, "consent_words", inText, hint, "", lazyregexp.New(consentPattern)},
	{ConsentWall, "consent_button", inButtons, hint, "", lazyregexp.New(`^(?:i )?(?:accept|agree|allow|got it|ok|okay|consent)(?: (?:all|to all|and (?:continue|close|proceed)|(?:all )?(?:the )?cookies))?$|^(?:reject|decline|refuse|deny)(?: (?:all|(?:all )?cookies))?$|^(?:manage|customi[sz]e|cookie) (?:settings|options|preferences|choices|cookies)$|^(?:alle[ns]? )?(?:(?:cookies )?akzeptieren|zustimmen|ablehnen|annehmen)(?: und (?:weiter|schließen))?$|^alle(?: cookies)? (?:akzeptieren|ablehnen|erlauben)$|^einverstanden$|^(?:tout )?(?:accepter|refuser)(?: (?:tout|et (?:continuer|fermer)|les cookies))?$|^j['’]accepte$|^(?:aceptar|rechazar)(?: (?:todo|todas?|y (?:continuar|cerrar)|(?:las )?cookies))?$|^(?:accetta|rifiuta)(?: (?:tutto|tutti|e continua))?$|^(?:aceitar|rejeitar|recusar)(?: (?:tudo|todos))?$|^(?:alles )?(?:accepteren|akkoord|weigeren)$|^(?:godkänn|acceptera|tillad|accepter|godta|hyväksy)(?: (?:alla|alle|kaikki))?$|^(?:zgadzam się|akceptuj(?:ę)?(?: wszystkie)?)$|^(?:принять(?: все)?|согласен|соглашаюсь)$|^(?:接受(?:全部|所有)?|全部接受|同意(?:并继续)?)$|^同意する$|^すべて(?:同意|許可)(?:する)?$|^(?:모두 )?동의(?:합니다)?$`)},

	{NotFound, "missing_title", inTitle, words, "", lazyregexp.New(missingPattern)},
	{NotFound, "missing_heading", inH1, words, "", lazyregexp.New(missingPattern)},
	{NotFound, "missing_words", inText, words, "", lazyregexp.New(`(?:page|article|content|document|file|url|story) (?:that )?(?:you(?: are|['’]re| were|['’]ve| have)? (?:requested|looking for|look for|tried to (?:access|reach)|trying to (?:access|reach|view)|were looking for) )(?:was|were|is|has|does|do|could|can|cannot|can['’]t|couldn['’]t|isn['’]t|doesn['’]t|may|might|no)|(?:we|we['’]re sorry,? (?:but )?we) (?:can['’]?t|cannot|could ?n['’]?o?t) (?:seem to )?find (?:the|that|this) (?:page|article|content)|(?:page|article|content) (?:does not|doesn['’]t|no longer) exists?|die (?:gewünschte|angeforderte|von ihnen (?:gesuchte|angeforderte)) seite (?:wurde nicht|konnte nicht|existiert nicht|ist nicht)|la page (?:que vous (?:cherchez|recherchez|avez demandée)|demandée) (?:n['’]existe|est introuvable|n['’]a pas)|la página (?:que (?:busca|buscas|está buscando|estás buscando|solicitó)|solicitada) no (?:existe|se (?:ha )?enc)|la pagina (?:che (?:cerchi|stai cercando)|richiesta) non (?:esiste|è stata trovata|è disponibile)|a página que (?:você )?(?:procura|está procurando|solicitou) não|запрашиваемая (?:вами )?страница не (?:найдена|существует)|(?:您|你)(?:要)?(?:访问|查找|请求|瀏覽|浏览)的(?:页面|網頁|网页|内容)(?:不存在|已(?:被)?删除|已(?:经)?失效)|お探しのページは(?:見つかりません|存在しない|移動)|요청하신 페이지를 찾을 수 없|찾으시는 페이지`)},

	{ScriptShell, "noscript_words", inShadow, hint, "", lazyregexp.New(scriptPattern)},
	{ScriptShell, "script_words", inText, words, "", lazyregexp.New(scriptPattern)},
}

const missingPattern = `^(?:(?:http )?(?:error|fehler|erreur|errore|erro|ошибка|błąd|错误)?[ :#-]*404(?: (?:error|fehler))?|(?:404[ :.–—-]*)?(?:(?:the |this |sorry,? |oops!? |whoops!? |error:? )*(?:page|file|article|content|document|resource|url) (?:you requested |requested )?(?:(?:was|is|could|can)(?: ?not|n['’]t) (?:be )?found|cannot be found|not found|does(?: not|n['’]t) exist|no longer (?:exists|available)|(?:is )?(?:un|not )available|isn['’]t available|missing)|not found|nothing (?:was )?found(?: here)?|oops!? (?:that|this) page can['’]?o?t be found|page not (?:here|available)|(?:diese |die )?seite (?:wurde |konnte )?nicht (?:gefunden(?: werden)?|verfügbar)|page (?:introuvable|non trouvée|inexistante)|cette page (?:n['’]existe (?:pas|plus)|est introuvable)|página no encontrada|(?:la |esta )?página no existe|pagina non (?:trovata|disponibile)|página não encontrada|pagina niet gevonden|sidan (?:kunde inte hittas|hittades inte|finns inte)|siden (?:blev ikke fundet|ble ikke funnet|findes ikke|finnes ikke)|sivua ei löy(?:dy|tynyt)|strona nie (?:została )?(?:znaleziona|istnieje)|nie znaleziono strony|stránka (?:nebyla )?nenalezena|stránka neexistuje|az oldal nem található|sayfa bulunamadı|страница не (?:найдена|существует)|сторінку не знайдено|η σελίδα δεν βρέθηκε|页面(?:不存在|未找到|没有找到|找不到(?:了)?)|找不到(?:该|此|您要的)?(?:页面|网页|頁面|網頁)|頁面不存在|(?:お探しの|指定された)?ページ(?:が|は)(?:見つかりません(?:でした)?|存在しません)|페이지를 찾을 수 없(?:습니다|음)|الصفحة غير موجودة|הדף לא נמצא|không tìm thấy trang|halaman tidak ditemukan)(?: \(?404\)?)?)[.…!。！]*$`

const scriptPattern = `(?:enable|turn on|activate|requires?|needs?|without|support) (?:the use of )?java ?script|java ?script (?:is |must be |has to be |needs to be )*(?:required|disabled|enabled|turned off|not (?:enabled|available|supported)|to be enabled)|javascript (?:aktivieren|muss aktiviert|ist (?:deaktiviert|erforderlich))|aktivieren sie (?:bitte )?javascript|(?:activez?r?|activer) (?:le )?javascript|(?:habilit|activ)(?:e|a|ar|ite) (?:el |o )?javascript|(?:abilita|attiva)(?:re)? javascript|включите (?:поддержку )?javascript|włącz (?:obsługę )?javascript|javascript (?:を|が)(?:有効|無効)|(?:启用|開啟|开启|打开|允许)(?:浏览器)?\s*javascript|javascript(?:를|을) (?:활성화|사용)`

const consentPattern = `(?:we|this (?:web)?site|our (?:web)?site|our partners|and our partners|wir|unsere partner|nous|nosotros|noi)(?: and (?:our|selected|third)[^.]{0,40})?(?: (?:also|may|would like to|want to|need your consent to))? (?:use|uses|store|process|verwenden|nutzen|setzen|utilisons|usamos|utilizamos|utilizziamo)[^.]{0,60}(?:cookies|tracking|personal data|daten|données|datos|dati)|(?:by (?:clicking|continuing|using|selecting|pressing)|if you (?:click|continue)|mit (?:einem )?klick auf|en (?:cliquant|poursuivant)|al (?:hacer clic|continuar|pulsar)|cliccando|ao (?:clicar|continuar))[^.]{0,120}(?:cookies|consent|agree|accept|einverstanden|acceptez|consentez|acepta|accetti|concorda)|(?:your|manage(?: your)?|ihre|vos|tus|sus|le tue) (?:privacy|cookie|consent|datenschutz|privatsphäre)[ -]?(?:choices|settings|preferences|options|einstellungen)?\b[^.]{0,40}(?:matters?|is important|is our|einstellungen|settings|choices|preferences)|before you continue|we value your privacy|(?:we|wir|nous) (?:need|benötigen|brauchen|avons besoin de)[^.]{0,30}(?:consent|zustimmung|consentement)|with your (?:consent|agreement),? we|your consent|use of cookies|utilisation des? cookies|uso de(?: las)? cookies|verwendung von cookies|(?:we |и )?использу(?:ем|ет) (?:файлы )?cookie|używamy (?:plików )?cookie|(?:我们|本网站|我們|本網站)使用\s*cookie|cookieを使用|쿠키를 사용`

var consentWords = lazyregexp.New(consentPattern)

// consentKeys are words of which what consent dialogs say has one.
const consentKeys = "cookie consent privacy privatsphäre datenschutz tracking personal daten données datos dati zustimmung agree accept einverstanden acepta accetti concorda before"

// saysConsent tells whether a block of text, in lower case, is what consent dialogs
// say.
func saysConsent(block string) bool {
	block = block[:min(len(block), 1024)]
	return containsAny(block, consentKeys) && consentWords().MatchString(block)
}

// containsAny tells whether one of the words is in s; no words are in everything.
func containsAny(s, words string) bool {
	for w := range strings.FieldsSeq(words) {
		if strings.Contains(s, w) {
			return true
		}
	}
	return words == ""
}

// headerText is a header as signs read it.
func headerText(h http.Header) string {
	var b []byte
	for _, name := range []string{"Cf-Mitigated", "X-Amzn-Waf-Action", "X-Datadome", "X-Vercel-Mitigated", "X-Kpsdk-Ct"} {
		for _, v := range h.Values(name) {
			b = append(b, name+": "+v+"\n"...)
		}
	}
	return string(b)
}
