package article

import (
	"strings"
	"sync"

	"github.com/quarry-sdk/quarry/internal/lazyregexp"
)

// labels are lines that say nothing but what stands beside them.
var labels = sync.OnceValue(func() map[string]bool {
	return wordSet(`
	advertisement|advertising|advert|ad|ads|sponsored|sponsored content|story continues below advertisement|article continues below|continue reading below|story continues below|promoted|share|share this|share this article|share this story|share on facebook|share on twitter|tweet|print|print this article|email|e-mail|copy link|comments|comment|leave a comment|post comment|post a comment|add comment|view comments|read more|more|see more|show more|load more|learn more|read also|also read|see also|related|related articles|related stories|related content|related topics|related posts|related news|more on this story|more on this topic|more from|explore further|don't miss|dont miss|most read|most popular|trending|trending now|recommended|recommended for you|you may also like|you might also like|editor's picks|top stories|latest news|up next|watch now|now playing|play video|close|caption|open|menu|search|skip|back to top|top|previous|next|previous article|next article|next story|sign up|subscribe|subscribe now|log in|login|register|follow us|follow|save|bookmark|tags|topics|filed under|follow live|loading|view gallery|photos|gallery|image|photo|video|text size|hide caption|toggle caption|enlarge this image|view image in fullscreen|buy now|getty images|credit|listen|transcript|
	anzeige|werbung|teilen|drucken|kommentare|kommentieren|mehr|mehr lesen|weiterlesen|mehr zum thema|lesen sie auch|lesen sie mehr|das könnte sie auch interessieren|auch interessant|zur startseite|nach oben|zurück|zurück zur übersicht|zur übersicht|back to overview|back to list|back to home|retour|volver|voltar|terug|wróć|назад|iklan|返回|戻る|一覧に戻る|weiter|newsletter|merken|artikel drucken|schlagworte|themen|
	publicité|partager|imprimer|commentaires|lire aussi|à lire aussi|lire la suite|sur le même sujet|articles liés|en savoir plus|suivez-nous|
	publicidad|compartir|imprimir|comentarios|leer más|ver más|lea también|lee también|ver también|te puede interesar|noticias relacionadas|relacionado|relacionados|síguenos|
	publicidade|propaganda|compartilhar|compartilhe|comentários|leia mais|leia também|veja também|veja mais|saiba mais|relacionadas|relacionados|você pode gostar|continua depois da publicidade|continua após a publicidade|
	pubblicità|condividi|stampa|commenti|leggi anche|leggi tutto|leggi di più|articoli correlati|potrebbe interessarti|
	advertentie|deel|delen|reacties|lees ook|lees meer|lees verder|meer over|gerelateerd|
	reklama|udostępnij|drukuj|komentarze|czytaj także|czytaj też|czytaj więcej|zobacz także|zobacz też|powiązane|
	реклама|поделиться|комментарии|читайте также|читать далее|подробнее|смотрите также|по теме|распечатать|
	广告|分享|评论|相关阅读|相关新闻|延伸阅读|阅读更多|更多|相关文章|推荐阅读|广告位|打印|返回顶部|責任編輯|
	広告|シェア|コメント|関連記事|続きを読む|あわせて読みたい|もっと見る|スポンサーリンク|スポンサードリンク|こちらもおすすめ|人気記事|
	광고|공유|댓글|관련기사|관련 기사|더보기|더 보기|목록`)
})

func wordSet(list string) map[string]bool {
	set := map[string]bool{}
	for _, s := range strings.Split(list, "|") {
		if s = fold(s); s != "" {
			set[s] = true
		}
	}
	return set
}

// isLabel tells whether a line is one of the labels.
func isLabel(text string) bool {
	return len(text) < 60 && (labels()[fold(text)] || counter().MatchString(text))
}

// counter is the label of a picture in a gallery.
var counter = lazyregexp.New(`(?i)^\(?(?:image|photo|slide|picture|bild|foto|imagen|imagem)?\s*\d+\s*(?:/|of|von|de|di|van|z|из)\s*\d+\)?$`)

// pointer is the beginning of a line that sends the reader elsewhere, followed by
// a colon, a dash, a bar or capitals.
var pointer = lazyregexp.New(`(?i)^[\s>»›▶►→*•\[(|–—-]*(?:read more|read also|also read|read next|read|see more|see also|see|more|related(?: \w+)?|watch|watch more|listen|more from [^:]{1,40}|more on this|more|recommended|must read|don'?t miss|click here|` +
	`lesen sie auch|lesen sie mehr|lesen sie dazu|mehr dazu|mehr zum thema|auch interessant|siehe auch|lire aussi|à lire aussi|voir aussi|lire|lea también|lea tambien|lee también|lee además|le puede interesar|te puede interesar|ver también|vea también|leia também|leia mais|leia ainda|veja também|saiba mais|confira também|leggi anche|leggi|guarda anche|lees ook|bekijk ook|czytaj (?:także|też|więcej)|zobacz (?:także|też|więcej)|przeczytaj(?: także| też)?|читайте также|смотрите также|см\. также|читать также)\s*[:：|–—\-»>]`)

// pointerWide is the same in scripts that need no mark behind it.
var pointerWide = lazyregexp.New(`^[\s\[【（(]*(?:相关阅读|相关新闻|延伸阅读|推荐阅读|更多阅读|関連記事|関連リンク|あわせて読みたい|合わせて読みたい|관련기사|관련 기사)`)

// prompt is a sentence that asks the reader for something, whatever the page is
// about.
var prompt = lazyregexp.New(`(?i)` +
	`\b(?:follow|like) (?:us|me|him|her|them|the \w+|[\w' .]{2,60}?) (?:on|at|@) ?(?:twitter|facebook|instagram|youtube|social|linkedin|flipboard|@)|` +
	`\b(?:sign[ -]?up|subscribe|register)\b.{0,60}\b(?:newsletter|newsletters|e-?mail|alerts?|inbox)\b|\bsubscribe to our\b|\bdelivered (?:straight )?(?:to|through) your (?:inbox|letterbox)|` +
	`\blike this (?:story|article|post)\?|\bshare (?:it|this(?: \w+)?) with (?:a|your) friends?|\bjoin the (?:conversation|discussion)\b|\bclick(?:ing)? here (?:for|to)\b.{0,40}$|\bby clicking here$|\bdownload (?:our|the) (?:\w+ )?app\b|` +
	`\bthis copy is for your personal\b|\bthis document is subject to copyright\b|\ball rights reserved\b|\bmay not be (?:published|reproduced|republished)\b|` +
	`\bdiese website (?:nutzt|verwendet) cookies|\bthis (?:website|site) uses cookies|\bwe use cookies|\bnutzungserlebnis.{0,40}cookies|` +
	`\b(?:we may|may) (?:earn|receive) (?:a|an) (?:\w+ )?commission|\bincome earning (?:auto )?affiliate links|` +
	`\b(?:folgen sie|abonnieren sie|melden sie sich) .{0,60}(?:newsletter|twitter|facebook|instagram|an)\b|\b(?:suivez|retrouvez)[- ]nous\b|\babonnez-vous\b|\bsíguenos en\b|\bsuscríbete\b|\bsiga(?:-nos| o| a)\b.{0,40}(?:twitter|facebook|instagram|redes)|\binscreva-se\b|\bassine (?:a|nossa|o)\b.{0,30}newsletter|\bseguici su\b|\biscriviti alla\b|\bvolg ons\b|\bподписывайтесь\b|\bподпишитесь\b`)

// credit is a line behind the text that says who helped with it, or how to reach
// who wrote it.
var credit = lazyregexp.New(`(?i)` +
	`\bcontributed to this (?:report|story|article)|\bcontributed reporting\b|\breporting by\b.{0,120}\bediting by\b|^\(?(?:reporting|editing|writing|additional reporting|compiled|edited|written) by\b|` +
	`\b(?:can|may) be reached (?:at|by|on)\b|\b(?:e-?mail|contact|write to|reach) (?:him|her|them|us|me|the (?:author|writer|reporter)|[\w .]{2,40}) (?:at|on)\b|^(?:twitter|facebook|instagram|e-?mail)\s*[:.]|^(?:twitter|facebook)\.com/\S+$|^\S+@\S+\.\w+$|^@\w+$|` +
	`\bis (?:a|an|the) (?:\w+[ -]){0,4}(?:reporter|writer|correspondent|editor|columnist|contributor|freelancer|journalist|blogger|curator) (?:at|for|with|based|who|from|and|covering)\b|` +
	`^(?:source|sources|quelle|quellen|fuente|fonte|fonti|bron|źródło|источник|via|hat tip|h/t|image credit|images?|photo(?:s| credit)?|foto|fotos|crédito|copyright|©)\s*[:：©(]|^©|` +
	`\bthis (?:story|article|post|report) (?:was|has been|originally|first)\b.{0,40}\b(?:published|appeared|updated|corrected)\b|\b(?:originally|first) (?:published|appeared) (?:on|at|in)\b|^\(?(?:updated|published|last (?:updated|modified|changed)|first published|posted|aktualisiert|veröffentlicht|publié|mis à jour|publicado|actualizado|atualizado|pubblicato|aggiornato|gepubliceerd|opublikowano|опубликовано)\b.{0,60}$|` +
	`^(?:责任编辑|编辑|来源|记者|作者|文章来源|原标题|\(责任编辑|（责任编辑)`)
