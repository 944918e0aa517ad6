package article

import (
	"strings"
	"sync"
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
