package pdf

import "context"

// Kinds of annotations that show text of their own, of PDFium's fpdf_annot.h.
const (
	freeText = 3
	stamp    = 13
	widget   = 20
	// annotationLimit is how many annotations of a page are looked at.
	annotationLimit = 2000
)

// flattened makes the fields of forms, notes and stamps that a reader sees a part of
// the page. It returns the page to go on with.
func (in *instance) flattened(ctx context.Context, doc, handle uint64, index int) (uint64, error) {
	count, err := in.call(ctx, "FPDFPage_GetAnnotCount", handle)
	if err != nil {
		return 0, err
	}
	shown := false
	for i := 0; i < min(int(int32(count)), annotationLimit) && !shown; i++ {
		annotation, err := in.call(ctx, "FPDFPage_GetAnnot", handle, uint64(i))
		if err != nil {
			return 0, err
		}
		if uint32(annotation) == 0 {
			continue
		}
		kind, err := in.call(ctx, "FPDFAnnot_GetSubtype", annotation)
		if err != nil {
			return 0, err
		}
		switch int32(kind) {
		case freeText, stamp, widget:
			shown = true
		}
		if _, err := in.call(ctx, "FPDFPage_CloseAnnot", annotation); err != nil {
			return 0, err
		}
	}
	if !shown {
		return handle, nil
	}
	const forDisplay, done = 0, 1
	result, err := in.call(ctx, "FPDFPage_Flatten", handle, forDisplay)
	if err != nil || int32(result) != done {
		return handle, err
	}
	again, err := in.call(ctx, "FPDF_LoadPage", doc, uint64(index))
	if err != nil || uint32(again) == 0 {
		return handle, err
	}
	_, err = in.call(ctx, "FPDF_ClosePage", handle)
	return again, err
}
