package article

import "github.com/quarry-sdk/quarry/internal/lazyregexp"

// sectionLabel is a line over links to other pages.
var sectionLabel = lazyregexp.New(`(?i)^[\s>»›▶►•\[(|–—-]*(?:more(?:\s*[:…]|\s+(?:from|on|in|about|great|like|stories|news|articles|posts|for you|coverage|top|by)\b.*)?|read (?:more|also|next|on)\b.*|also (?:read|see|on)\b.*|see also\b.*|related\b.*|recommended\b.*|you (?:may|might|should)\b.*(?:like|enjoy|read|know|interested)\b.*|don'?t miss\b.*|trending\b.*|most (?:read|popular|viewed|shared)\b.*|popular\b.*|(?:latest|recent|top|breaking)(?: \w+)? (?:news|stories|articles|posts|headlines|videos)\b.*|what to read next|up next|elsewhere|further reading|in other news|must[- ]reads?\b.*|editor'?s'? (?:picks?|choice)|story timeline|in case you missed it|tags?|topics|categories|filed under\b.*|explore further|next (?:article|story|post)|previous (?:article|story|post)|keep reading|continue reading|contents?|table of contents|` +
	`mehr (?:zum thema|dazu|aus|von|artikel|lesen|nachrichten)\b.*|mehr|lesen sie (?:auch|mehr|weiter)\b.*|auch interessant\b.*|das könnte (?:sie|dich)\b.*|(?:weitere|ähnliche|neueste|neue|verwandte|empfohlene) (?:artikel|themen|beiträge|meldungen|nachrichten)\b.*|top[- ]?(?:meldungen|themen|artikel)|meistgelesen\b.*|am meisten gelesen\b.*|zum thema|schlagw[oö]rte?r?|themen|inhalt(?:sverzeichnis)?|` +
	`(?:à )?lire (?:aussi|également|la suite)\b.*|sur le même (?:sujet|thème)|voir aussi|articles? (?:liés?|similaires?|associés?|récents?)|à découvrir|les plus (?:lus|populaires)|sommaire|` +
	`(?:lea|lee|leer|ver|vea) (?:también|además|más)\b.*|te puede interesar\b.*|le puede interesar\b.*|(?:noticias|artículos|notas|temas|contenidos?) relacionad[oa]s?|relacionad[oa]s?|más (?:noticias|leídas?|leídos?|sobre|información|en)\b.*|lo más (?:leído|visto)|etiquetas|` +
	`(?:leia|veja|saiba|confira) (?:também|mais|ainda)\b.*|você (?:pode|também pode)\b.*|(?:notícias|matérias|artigos|posts|textos) relacionad[oa]s|mais (?:lidas?|lidos?|notícias|sobre)\b.*|últimas notícias|` +
	`(?:leggi|guarda) anche\b.*|(?:articoli|notizie) correlat[ie]|potrebbe(?:ro)? interessart[ie]\b.*|ti potrebbe\b.*|i più letti|` +
	`lees ook\b.*|meer (?:over|nieuws|lezen)\b.*|gerelateerd\b.*|meest gelezen|` +
	`(?:czytaj|zobacz|przeczytaj) (?:także|też|również|więcej)\b.*|(?:powiązane|podobne|najnowsze|polecane) (?:artykuły|wiadomości|tematy)|najczęściej czytane|` +
	`(?:читайте|смотрите) (?:также|ещё|еще)\b.*|по теме\b.*|похожие (?:статьи|записи|новости|материалы)|ещё по теме|популярное|рекомендуем|` +
	`baca juga\b.*|artikel terkait|berita terkait)\s*[:：…»>]?$`)

// sectionWide is the same in scripts without blanks.
var sectionWide = lazyregexp.New(`^[\s【\[（(■◆●▼▶]*(?:相关(?:阅读|新闻|文章|报道|推荐|链接)|延伸阅读|推荐阅读|更多(?:阅读|新闻|精彩)?|热门(?:文章|新闻|推荐)|最新(?:文章|新闻)|猜你喜欢|上一篇|下一篇|相關(?:文章|新聞|閱讀)|熱門(?:文章|新聞)|関連(?:記事|リンク|ニュース|キーワード)|あわせて読みたい|合わせて読みたい|人気(?:記事|ランキング)|最新(?:記事|ニュース)|おすすめ(?:記事)?|こちらもおすすめ|前の記事|次の記事|目次|관련\s?(?:기사|뉴스|글)|인기\s?(?:기사|글)|최신\s?(?:기사|글)|추천\s?기사)[\s】\]）):：]*$`)

// dropSections drops lines that announce other pages, with the links that follow
// them.
func (p *page) dropSections(in []int) {
	for x, k := range in {
		l := &p.lines[k]
		if l.dropped || l.chars > 120 || l.good {
			continue
		}
		text := p.text(l)
		if len(text) > 120 || !sectionLabel().MatchString(text) && !sectionWide().MatchString(text) {
			continue
		}
		followed := false
		for _, m := range in[x+1:] {
			next := &p.lines[m]
			if next.dropped {
				continue
			}
			if next.links*3 <= next.chars {
				break
			}
			next.dropped = true
			followed = true
		}
		if followed || l.links*2 > l.chars {
			l.dropped = true
		}
	}
}
