package extract

// Hint is what is known of bytes before they are read. All of it may be empty, and
// all of it may be wrong: the bytes themselves count first.
type Hint struct {
	// ContentType is the value of the Content-Type header.
	ContentType string
	// Format, if it is set, is taken for the format without a look at the bytes.
	Format Format
	// Name is the name of the file.
	Name string
	// URL is the address that the bytes came from. Links are resolved against it.
	URL string
}
