// Package model holds what every language-model provider has in common:
// messages made of blocks, requests, responses, usage, typed errors, and the
// streaming [Model] interface that providers implement.
//
//	for ev, err := range m.Stream(ctx, &model.Request{
//		System:    model.NewMessage(model.RoleSystem, &model.Text{Text: "Be brief."}),
//		Messages:  []*model.Message{model.UserText("What is a journal?")},
//		MaxTokens: 1024,
//	}) {
//		if err != nil {
//			return err // a *model.Error for everything a provider reports
//		}
//		fmt.Print(ev.Text)
//	}
//
// Most people never call a Model themselves: they give one to an agent of
// package quarry. Providers live below this package (model/anthropic,
// model/extractive); model/modeltest has scripted models and servers for tests.
//
// Nothing that a provider sent is dropped: a block, field or event that the
// typed view does not carry is kept as raw JSON beside it and goes back to the
// same provider unchanged. Messages are immutable once they are part of a
// request, so that a provider may encode each of them once and keep the bytes.
package model
