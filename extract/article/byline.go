package article

import "github.com/quarry-sdk/quarry/internal/lazyregexp"

var bylineLine = lazyregexp.New(`(?i)^(?:by|von|por|par|di|door|autor|author|от|автор|作者|文|記者|기자)[:：]?\s+\S.{1,80}$|^(?:published|updated|posted|last updated|first published|veröffentlicht|aktualisiert|stand|publié|mis à jour|publicado|actualizado|atualizado|pubblicato|aggiornato|gepubliceerd|bijgewerkt|opublikowano|aktualizacja|опубликовано|обновлено|发布时间|公開日|更新日)\b.{0,80}$|^https?://\S+$`)

// isByline tells whether a line before the text only says who wrote it or when.
func isByline(text string) bool {
	return len(text) < 160 && (bylineLine().MatchString(text) || dateOnly(text))
}

func dateOnly(text string) bool { return false }
