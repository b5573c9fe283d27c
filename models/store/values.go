package store

// Text reads an optional text; nil is "".
func Text[T ~string](s *T) string {
	if s == nil {
		return ""
	}
	return string(*s)
}

// FirstError is the first that is none, or nil.
func FirstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
