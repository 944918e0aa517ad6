package article

import (
	"strings"
	"sync"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// names is what the class, id, role and the like of an element say it is.
type names uint32

const (
	navName     names = 1 << iota // menus, breadcrumbs, pagers
	sideName                      // sidebars and widgets
	footName                      // footers and legal lines
	adName                        // advertisements and promotions
	shareName                     // share bars and buttons to follow
	commentName                   // comments of readers
	relatedName                   // links to other pages
	teaserName                    // boxes that lead to other pages, or the lead of this one
	signupName                    // newsletters and subscriptions
	consentName                   // cookie notices and pop-ups
	captionName                   // captions and credits of pictures
	bylineName                    // authors, dates and other lines about the text
	bioName                       // boxes about the author
	tagsName                      // tags, topics and categories
	mediaName                     // players, galleries and slide shows
	hiddenName                    // not shown to those who see
	titleName                     // the headline
	bodyName                      // the text itself
	markedName                    // the text itself, by microdata
	dekName                       // a line under the headline that introduces the text
	otherName                     // a thing of its own in microdata: a picture, a comment, an event
	quoteName                     // posts of other sites that the text quotes
)

// words are the words of class names and ids that tell what an element is.
var words = sync.OnceValue(func() map[string]names {
	return wordTable(map[names]string{
		navName:     "nav navbar navigation menu submenu megamenu breadcrumb breadcrumbs pagination pager pagenav skip skiplink toolbar topbar masthead tabs jumplinks prevnext nextprev",
		sideName:    "sidebar rail rightrail aside widget widgets sidecolumn",
		footName:    "footer foot colophon copyright legal imprint",
		adName:      "ad ads adv advert adverts advertisement advertising advertorial adsbygoogle adslot adunit adbox dfp gpt sponsor sponsors sponsored promo promos promotion promoted banner banners taboola outbrain zergnet revcontent marketing",
		shareName:   "share shares sharing sharebar sharethis social socials socialmedia addthis addtoany sharedaddy follow followus shareaholic sociable",
		commentName: "comment comments commentlist disqus respond livefyre talkback kommentare kommentar comentarios commentaires reacties komentarze",
		relatedName: "related relatedposts relatedarticles recirc recirculation recommend recommended recommendation recommendations recommends trending mostread mostpopular popular upnext readmore morefrom readnext suggested suggestions jp-relatedposts yarpp seealso alsoread",
		teaserName:  "teaser teasers",
		signupName:  "newsletter newsletters subscribe subscription subscriptions signup optin cta mailchimp registration register login signin donate donation",
		consentName: "cookie cookies cookiebar consent gdpr modal popup overlay lightbox tooltip rollover popover hovercard dropdown flyout onetrust cc-window toast",
		captionName: "caption captions figcaption credit credits photocredit imagecredit legend imagecaption cutline",
		bylineName:  "byline bylines dateline timestamp date datetime pubdate postmeta entrymeta meta posted published author authors writer readtime",
		bioName:     "bio authorbio authorbox aboutauthor biography",
		tagsName:    "tags taglist tagcloud categories topics keywords posttags hashtags",
		mediaName:   "gallery slideshow carousel videoplayer mediaplayer audioplayer jwplayer slider playlist slick",
		hiddenName:  "sr-only visually-hidden visuallyhidden screen-reader screenreader screen-reader-text noscript printonly printheader printfooter printblock printnone offscreen invisible",
		titleName:   "headline",
		dekName:     "dek deck subhead subheading subheadline subtitle standfirst abstract kicker eyebrow",
		quoteName:   "twitter-tweet twittertweet instagram-media instagrammedia fbpost",
		bodyName:    "articlebody storybody postbody entrybody storytext articletext bodytext articlecontent entrycontent postcontent storycontent maincontent bodycopy blogcontent newstext",
	})
})

func wordTable(lists map[names]string) map[string]names {
	table := map[string]names{}
	for name, list := range lists {
		for word := range strings.FieldsSeq(list) {
			table[word] |= name
		}
	}
	return table
}

// namesOf reads the attributes of an element.
func namesOf(n *html.Node) names {
	var found names
	for i := range n.Attr {
		a := &n.Attr[i]
		switch a.Key {
		case "id":
			found |= namesOfID(n, a.Val)
		case "class", "data-component", "data-testid", "data-test", "data-type", "data-module", "data-name", "data-element":
			found |= namesIn(a.Val)
		case "itemprop":
			switch strings.ToLower(strings.TrimSpace(a.Val)) {
			case "articlebody", "articlebody text", "text articlebody":
				found |= bodyName | markedName
			case "datepublished", "datemodified", "datecreated", "author", "creator", "publisher":
				found |= bylineName
			case "headline":
				found |= titleName
			case "comment", "review":
				found |= commentName
			case "caption", "copyrightholder":
				found |= captionName
			}
		case "role":
			switch a.Val {
			case "navigation", "menu", "menubar", "search", "toolbar", "tablist":
				found |= navName
			case "complementary":
				found |= sideName
			case "contentinfo":
				found |= footName
			case "dialog", "alertdialog":
				found |= consentName
			}
		case "itemtype":
			kind := strings.ToLower(a.Val)
			if strings.HasSuffix(kind, "object") || strings.HasSuffix(kind, "comment") || strings.HasSuffix(kind, "event") {
				found |= otherName
			}
		case "rel":
			if a.Val == "author" {
				found |= bylineName
			}
		}
	}
	switch n.DataAtom {
	case atom.Nav, atom.Menu:
		found |= navName
	case atom.Aside:
		found |= sideName
	case atom.Footer:
		found |= footName
	case atom.Figcaption:
		found |= captionName
	}
	return found
}

// namesOfID reads an id. Headings lend their words to ids, such as
// "sharing-with-one-developer" or "cookies", of themselves or of the section that
// they begin; only for comments and other pages such a section is still what it
// says.
func namesOfID(n *html.Node, id string) names {
	if isHeading(n) || len(splitWords(id)) > 4 {
		return 0
	}
	found := namesIn(id)
	if found == 0 || found&(commentName|relatedName) != 0 {
		return found
	}
	at := n.FirstChild
	for steps := 0; at != nil && steps < 6; steps++ {
		switch {
		case isHeading(at):
			if at.FirstChild != nil && fold(at.FirstChild.Data) == fold(id) {
				return 0
			}
			return found
		case at.Type == html.ElementNode && at.FirstChild != nil:
			at = at.FirstChild
		default:
			at = at.NextSibling
		}
	}
	return found
}

func isHeading(n *html.Node) bool {
	return n.Type == html.ElementNode && len(n.Data) == 2 && n.Data[0] == 'h' && n.Data[1] >= '1' && n.Data[1] <= '6'
}

// namesIn looks up the words of a class list or an id: each class whole without
// its joints, each word of it, and each pair of neighbours.
func namesIn(value string) names {
	if len(value) > 400 {
		value = value[:400]
	}
	var found names
	table := words()
	for class := range strings.FieldsSeq(value) {
		if isTopic(class) {
			continue
		}
		last := ""
		parts := splitWords(class)
		found |= table[strings.ToLower(class)]
		for _, part := range parts {
			found |= table[part] | table[last+part]
			last = part
		}
	}
	return found
}

// splitWords cuts a class at joints and where a capital follows a small letter.
func splitWords(class string) []string {
	var parts []string
	start := 0
	cut := func(end int) {
		if end > start {
			parts = append(parts, strings.ToLower(class[start:end]))
		}
		start = end
	}
	for i := range len(class) {
		c := class[i]
		switch {
		case c == '-' || c == '_' || c == ':' || c == '.' || c == '/' || c >= '0' && c <= '9':
			cut(i)
			start = i + 1
		case c >= 'A' && c <= 'Z' && i > 0 && class[i-1] >= 'a' && class[i-1] <= 'z':
			cut(i)
		}
	}
	cut(len(class))
	return parts
}

// isTopic tells whether a class only carries a tag or a category of the text, as
// WordPress puts them on articles.
func isTopic(class string) bool {
	for _, prefix := range []string{"tag-", "category-", "cat-", "topic-", "post_format-", "author-", "section-"} {
		if strings.HasPrefix(class, prefix) && len(class) > len(prefix)+12 || prefix != "section-" && prefix != "author-" && strings.HasPrefix(class, prefix) {
			return true
		}
	}
	return false
}
