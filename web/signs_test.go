package web

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// htmlPage makes a page.
func htmlPage(title, body string) string {
	return "<!doctype html><html><head><title>" + title + "</title></head><body>" + body + "</body></html>"
}

// article is more than any wall says.
var article = "<h1>The year of the lighthouse</h1>" + strings.Repeat("<p>The keeper walked up the ninety-one steps each evening, lit the lamp by hand, and wrote the hour in a book that nobody would read. He had done so since the spring of 1961.</p>\n", 12)

// signCase is an example of a sign: a page on which it alone, or with what it needs
// beside it, gives the outcome.
type signCase struct {
	page   string
	url    string
	header http.Header
	// beside makes a hint count.
	beside string
}

func signCases() map[string][]signCase {
	says := func(text string) signCase { return signCase{page: htmlPage("example.org", "<p>"+text+"</p>")} }
	titled := func(title string) signCase {
		return signCase{page: htmlPage(title, "<p>Ray ID 8f2a</p><form><input name=q></form>")}
	}
	headed := func(h string) signCase { return signCase{page: htmlPage("example.org", "<h1>"+h+"</h1>")} }
	marked := func(markup string) signCase {
		return signCase{page: htmlPage("example.org", markup+"<p>Please stand by for a while, this should not take long at all.</p>")}
	}
	return map[string][]signCase{
		"cloudflare_challenge": {marked(`<script>window._cf_chl_opt={cvId:"3"}</script>`), marked(`<form id="challenge-form"></form>`), marked(`<script src="/cdn-cgi/challenge-platform/h/g/orchestrate/chl_page/v1"></script>`)},
		"cloudflare_block":     {marked(`<div id="cf-error-details" class="cf-error-details-wrapper"></div>`)},
		"datadome":             {marked(`<script>var dd={'rt':'c','cid':'x','host':'geo.captcha-delivery.com'}</script>`), marked(`<iframe src="https://geo.captcha-delivery.com/captcha/?initialCid=1"></iframe>`)},
		"perimeterx":           {marked(`<div id="px-captcha"></div>`), marked(`<script>window._pxUuid="1"</script>`)},
		"akamai":               {marked(`<p>Reference #18.2d <a href="https://errors.edgesuite.net/18.2d">x</a></p>`), marked(`<script src="/_sec/cp_challenge/sec-3-4.js"></script>`)},
		"imperva":              {marked(`<iframe src="/_Incapsula_Resource?CWUDNSAI=9&incident_id=5">Request unsuccessful. Incapsula incident ID: 5</iframe>`)},
		"aws_waf":              {marked(`<script>AwsWafIntegration.getToken().then(()=>{window.location.reload(true)})</script>`), marked(`<script>window.gokuProps = {"key":"x"}</script>`)},
		"kasada":               {marked(`<script src="/149e9513-01fa-4fb0-aad4-566afd725d1b/2d206a39/ips.js"></script>`)},
		"sucuri":               {marked(`<script>sucuri_cloudproxy_js=''</script>`)},
		"ddos_guard":           {marked(`<script src="/.well-known/ddos-guard/js-challenge/index.js"></script>`)},
		"proof_of_work":        {marked(`<script id="anubis_challenge" type="application/json">{}</script>`)},
		"f5":                   {marked(`<script src="/TSPD/0812?type=9"></script>`), says("The requested URL was rejected. Please consult with your administrator. Your support ID is: 12")},
		"distil":               {marked(`<form id="distilCaptchaForm"><input name="distil_r_captcha"></form>`)},
		"aliyun_waf":           {marked(`<script>var arg1='x'; setCookie("acw_sc__v2", x)</script>`)},
		"vercel_checkpoint":    {marked(`<p>Vercel Security Checkpoint</p>`)},
		"search_captcha":       {{page: htmlPage("x", "<p>About this page</p>"), url: "https://www.google.com/sorry/index?continue=https://www.google.com/search"}, {page: htmlPage("x", "<p>…</p>"), url: "https://shop.example/errors/validateCaptcha?x=1"}},
		"waf_header":           {{page: htmlPage("x", "<p>Wait.</p>"), header: http.Header{"Cf-Mitigated": {"challenge"}}}, {page: htmlPage("x", "<p>Wait.</p>"), header: http.Header{"X-Amzn-Waf-Action": {"captcha"}}}},
		"check_title": {titled("Just a moment..."), titled("Attention Required! | Cloudflare"), titled("Access Denied"), titled("Are you a robot?"), titled("Robot Check"), titled("Security check - Shop"),
			titled("Access to this page has been denied."), titled("Pardon Our Interruption"), titled("Making sure you're not a bot!"), titled("Nur einen Moment…"), titled("Zugriff verweigert"), titled("Un momento…"),
			titled("Acceso denegado"), titled("Accès refusé"), titled("Доступ ограничен"), titled("Вы не робот?"), titled("百度安全验证"), titled("请稍候…"), titled("アクセスが拒否されました"), titled("보안 확인")},
		"check_heading": {headed("Verify you are human by completing the action below."), headed("Sorry, you have been blocked"), headed("Checking if the site connection is secure"), headed("Please confirm you are human"), headed("请完成安全验证")},
		"check_words": {says("Our systems have detected unusual traffic from your computer network."), says("example.org needs to review the security of your connection before proceeding."), says("Enable JavaScript and cookies to continue"), says("You don't have permission to access this resource on this server."),
			says("Bitte bestätigen Sie, dass Sie kein Roboter sind."), says("Veuillez vérifier: confirmez que vous n'êtes pas un robot."), says("Por favor, confirme que usted no es un robot."), says("Подтвердите, что вы не робот"), says("请完成安全验证后继续访问"), says("您的访问过于频繁，请稍后再试"), says("あなたがロボットではないことを確認します"), says("로봇이 아닙니다를 선택하세요")},
		"captcha_widget": {{page: htmlPage("example.org", `<form action="?"><div class="g-recaptcha" data-sitekey="k"></div><button>Submit</button></form>`)}, {page: htmlPage("example.org", `<form><div class="cf-turnstile"></div></form>`)}},
		"login_url":      {{page: htmlPage("Example", "<p>Welcome back.</p><form><input type=email name=user></form>"), url: "https://accounts.example.org/u?next=1"}, {page: htmlPage("Example", "<p>Welcome.</p>"), url: "https://example.org/sso/start"}, {page: htmlPage("Example", "<p>Welcome.</p>"), url: "https://example.org/account/login?return=%2Fa"}},
		"login_title":    {{page: htmlPage("Sign in | Example", "<form><input type=email></form>")}, {page: htmlPage("Anmelden - Example", "<form><input type=email></form>")}, {page: htmlPage("Вход", "<form><input type=email></form>")}, {page: htmlPage("登录", "<form><input type=email></form>")}, {page: htmlPage("ログイン", "<form><input type=email></form>")}, {page: htmlPage("Se connecter – Example", "<form><input type=email></form>")}},
		"login_words":    {says("You must be logged in to view this page."), says("Please log in to continue."), says("Bitte melden Sie sich an."), says("Veuillez vous connecter."), says("请先登录"), says("Необходимо авторизоваться."), says("ログインしてください。")},
		"consent_url":    {{page: htmlPage("Example", "<div class=cmp><p>We need your decision about your data before you can go on to our pages.</p></div>"), url: "https://consent.example.org/collect?session=1", beside: "<button>Accept all</button>"}},
		"consent_markup": {{page: htmlPage("Example", `<div id="onetrust-consent-sdk"><p>We and our partners use cookies to store and process personal data.</p></div>`)}},
		"consent_words":  {{page: htmlPage("Example", "<p>Wir verwenden Cookies und verarbeiten Daten. Mit einem Klick auf Zustimmen sind Sie einverstanden.</p><button>Zustimmen</button>")}, {page: htmlPage("Example", "<p>Nous et nos partenaires utilisons des cookies. En cliquant sur Accepter, vous acceptez.</p><button>Tout accepter</button>")}},
		"consent_button": {{page: htmlPage("Before you continue", "<p>We use cookies and data to deliver and maintain our services.</p><button>Reject all</button><button>Accept all</button>")}, {page: htmlPage("x", "<p>我们使用cookie来改进我们的服务，并记住您的选择。我们使用cookie来改进我们的服务，并记住您的选择。</p><button>全部接受</button>")}},
		"missing_title": {titled("404 Not Found"), titled("Page not found | Example"), titled("Error 404"), titled("404"), titled("Example - Seite nicht gefunden"), titled("Page introuvable"), titled("Página no encontrada"), titled("Pagina non trovata"), titled("Страница не найдена"), titled("页面不存在"), titled("ページが見つかりません"), titled("페이지를 찾을 수 없습니다"),
			titled("Sidan kunde inte hittas"), titled("Strona nie została znaleziona"), titled("404 - Page Not Found"), titled("Sorry, this page isn't available")},
		"missing_heading": {headed("Page not found"), headed("404"), headed("Oops! That page can't be found."), headed("Diese Seite wurde nicht gefunden"), headed("找不到该页面")},
		"missing_words":   {says("Sorry, the page you are looking for does not exist."), says("We couldn't find the page you asked for."), says("Die gewünschte Seite wurde nicht gefunden."), says("La page que vous recherchez n'existe plus."), says("La página que buscas no existe."), says("您访问的页面不存在"), says("お探しのページは見つかりませんでした。")},
		"noscript_words":  {{page: htmlPage("App", `<noscript>You need to enable JavaScript to run this app.</noscript><div></div><script src=/a.js></script>`)}, {page: htmlPage("App", `<noscript>Bitte aktivieren Sie JavaScript.</noscript><script src=/a.js></script>`)}, {page: htmlPage("App", `<noscript><strong>请启用 JavaScript</strong></noscript><script src=/a.js></script>`)}},
		"script_words":    {{page: htmlPage("App", `<p>JavaScript is required to use this site.</p><script src=/a.js></script>`)}, {page: htmlPage("App", `<p>Включите JavaScript в браузере.</p><script src=/a.js></script>`)}},
	}
}

func (c signCase) seen(page string) seen {
	at := c.url
	if at == "" {
		at = "https://site.example/news/one"
	}
	final, err := url.Parse(at)
	if err != nil {
		panic(err)
	}
	asked, _ := url.Parse("https://site.example/news/one")
	return seen{page: look([]byte(page), "text/html; charset=utf-8"), asked: asked, final: final, header: c.header, status: 200}
}

// TestSigns walks the table of signs: each has an example that gives its outcome,
// is the reason that is given, and gives no outcome but ok where a real article
// stands on the page.
func TestSigns(t *testing.T) {
	t.Parallel()
	cases := signCases()
	names := make(map[string]bool)
	for _, s := range signs {
		names[s.name] = true
		if len(cases[s.name]) == 0 {
			t.Errorf("the sign %s has no example", s.name)
		}
		for i, c := range cases[s.name] {
			page := strings.Replace(c.page, "</body>", c.beside+"</body>", 1)
			v := classify(c.seen(page))
			if v.outcome != s.outcome {
				t.Errorf("example %d of %s is %s (%v), want %s", i, s.name, v.outcome, v.signals, s.outcome)
				continue
			}
			found := false
			for _, got := range v.signals {
				found = found || got.Name == s.name && got.Where == string(s.where) && got.Found != ""
			}
			if !found {
				t.Errorf("example %d of %s: the signals are %v", i, s.name, v.signals)
			}
			if v.reason == "" {
				t.Errorf("example %d of %s: there is no reason", i, s.name)
			}
			if v := classify(c.seen(strings.Replace(page, "</body>", article+"</body>", 1))); v.outcome != OK {
				t.Errorf("example %d of %s beside an article is %s (%v)", i, s.name, v.outcome, v.signals)
			}
		}
	}
	for name := range cases {
		if !names[name] {
			t.Errorf("there is an example of %s, which is no sign", name)
		}
	}
}

// TestWordsOfArticles checks that what walls say makes no wall of a short article
// that is about walls.
func TestWordsOfArticles(t *testing.T) {
	t.Parallel()
	for i, x := range []struct{ title, text string }{
		{"How CAPTCHAs changed the web", "<p>Every day, people are asked to verify you are human, as the box puts it, some 250 million times.</p><p>A study by three universities found that bots now solve the puzzles faster than people do.</p><p>The researchers suggest that sites should drop them, and measure behaviour instead.</p>"},
		{"Cookie banners cost Europeans 575 million hours a year", `<p>"We use cookies to process personal data": the sentence greets visitors on nine of ten sites.</p><p>A new paper counts the time that is lost on clicking "Accept all", and arrives at 575 million hours a year.</p><p>The authors propose that browsers should answer once and for all.</p>`},
		{"Why passwords will not die", "<p>Users still have to log in to view most of what they pay for, and most of them do so with a password.</p><p>Passkeys were meant to end this; adoption stands at 15 %, according to a survey among 2,000 customers of banks.</p><p>Banks say that the recovery of lost devices is the unsolved part.</p>"},
		{"404: the story of an error", "<p>The page you are looking for does not exist: few sentences of the web are read as often.</p><p>It was first sent from an office at CERN, or so the legend goes, and engineers who worked there deny it.</p><p>The number was chosen because the fourth class of statuses belongs to the client, they say, and nothing more.</p>"},
		{"Access denied: libraries and the new law", "<p>The libraries of the county may no longer lend e-books from abroad, its council decided on Monday.</p><p>Readers called the decision a scandal, and the council's lawyer called it unavoidable under the act of 2025.</p><p>A court will hear both sides in May, when the act has been in force for a year.</p>"},
		{"验证码简史", "<p>验证码诞生于二零零零年，最初的目的是阻止自动注册邮箱账号的程序。</p><p>如今，请完成安全验证这句话每天出现在数亿人的屏幕上，而机器识别图片的能力早已超过人类。</p><p>研究者建议网站放弃这种做法，改用更温和的手段，并且公布误判的比例，接受公众的监督。</p><p>他们还指出，老年用户因为看不清图片而放弃购物的情况，比人们以为的要多得多。</p>"},
		{"Login", article},
		{"Page not found: lost books of the harbour library", article},
	} {
		page := htmlPage(x.title, "<h1>"+x.title+"</h1>"+x.text)
		if v := classify(signCase{}.seen(page)); v.outcome != OK {
			t.Errorf("%d: %q is %s: %s %v", i, x.title, v.outcome, v.reason, v.signals)
		}
	}
}

// TestPagesThatAreNoWalls checks pages that have something of a wall and are none.
func TestPagesThatAreNoWalls(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"login form in the header":              `<header><form><input type=email><input type=password><button>Sign in</button></form></header><p>The bridge will be closed from Monday to Thursday, the city said, because its bearings have to be replaced.</p><p>Drivers can use the tunnel in the meantime; it will be free of charge, and its second lane will be opened for them.</p><p>The work costs 1.2 million euros, of which the state pays a half, as the mayor told the council at its last meeting of the year. The council agreed to pay the rest from what is left of the budget for roads.</p>`,
		"contact form with a captcha":           `<h1>Contact</h1><p>Write to us, we answer within two days.</p><form><input type=email><textarea></textarea><div class="g-recaptcha"></div></form>`,
		"cloudflare's script on a page":         `<h1>Opening hours</h1><p>The museum is open from 10:00 to 18:00, and closed on Mondays.</p><script src="/cdn-cgi/challenge-platform/scripts/jsd/main.js"></script>`,
		"incapsula's script on a page":          `<h1>Opening hours</h1><p>The museum is open from 10:00 to 18:00, and closed on Mondays.</p><script src="/_Incapsula_Resource?SWJIYLWA=719d34d31c8e3a6e"></script>`,
		"a short notice":                        `<p>Closed today.</p>`,
		"a page that works without its scripts": `<noscript>Enable JavaScript for comments.</noscript><div id="app"><p>The museum is open from 10:00 to 18:00, and closed on Mondays. Children pay half, and groups of ten or more pay a third less than single visitors do.</p><p>The restaurant opens at noon, and its kitchen closes an hour before the museum does, every day of the week except Mondays.</p></div><script src=/a.js></script>`,
	} {
		if v := classify(signCase{}.seen(htmlPage("City Museum", body))); v.outcome != OK {
			t.Errorf("%s is %s: %s %v", name, v.outcome, v.reason, v.signals)
		}
	}
}

// TestLookIsLinear reads pages that are made to be slow.
func TestLookIsLinear(t *testing.T) {
	t.Parallel()
	var attrs strings.Builder
	for i := range 1_000_000 {
		fmt.Fprintf(&attrs, " a%d=b", i)
	}
	for name, page := range map[string]string{
		"deep":        strings.Repeat("<div>", 500_000) + "text" + strings.Repeat("</div>", 500_000),
		"attributes":  "<p" + attrs.String() + ">text</p>",
		"ends":        strings.Repeat("</b>", 1_000_000),
		"misnested":   strings.Repeat("<b><i></b></i>", 200_000),
		"no end":      "<" + strings.Repeat("a", 4_000_000),
		"entities":    strings.Repeat("&amp;&#x26;&", 300_000),
		"open quote":  `<a href="` + strings.Repeat("x<", 2_000_000),
		"title":       "<title>" + strings.Repeat("t", 4_000_000),
		"consent":     strings.Repeat("<p>we use the the the the the the cookie by clicking we use </p>", 30_000),
		"one block":   strings.Repeat("we use ", 500_000),
		"nul":         strings.Repeat("\x00<\x00", 1_000_000),
		"script open": "<script>" + strings.Repeat("<!--<script>", 300_000),
	} {
		t.Run(name, func(t *testing.T) {
			classify(signCase{}.seen(page)) // the test's time limit is the check
		})
	}
}
