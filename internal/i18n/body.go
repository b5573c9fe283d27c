package i18n

import (
	"reflect"
	"slices"
	"sync"
)

// Tag marks a field of an answer that is a message for people: a text, an optional one or a
// list of them. All other fields are for programs, or are what a person wrote, and stay as
// they are.
const Tag = "prose"

// Body is an answer with its sentences in a language. The answer itself is not
// changed: it may be kept and given to others.
func Body(language string, answer any) any {
	if language == "en" || answer == nil || !speaks(reflect.TypeOf(answer)) {
		return answer
	}
	return translated(language, reflect.ValueOf(answer)).Interface()
}

// translated copies a value of a type that has messages, translated.
func translated(language string, from reflect.Value) reflect.Value {
	switch from.Kind() {
	case reflect.Pointer:
		if from.IsNil() {
			return from
		}
		to := reflect.New(from.Type().Elem())
		to.Elem().Set(translated(language, from.Elem()))
		return to
	case reflect.Slice:
		if from.IsNil() {
			return from
		}
		to := reflect.MakeSlice(from.Type(), from.Len(), from.Len())
		for i := range from.Len() {
			to.Index(i).Set(translated(language, from.Index(i)))
		}
		return to
	case reflect.String:
		return reflect.ValueOf(In(language, from.String())).Convert(from.Type())
	default: // a struct: speaks accepts no other
		to := reflect.New(from.Type()).Elem()
		to.Set(from)
		for i := range from.NumField() {
			if field := from.Type().Field(i); isProse(field) || field.IsExported() && speaks(field.Type) {
				to.Field(i).Set(translated(language, from.Field(i)))
			}
		}
		return to
	}
}

func isProse(field reflect.StructField) bool { return field.Tag.Get(Tag) != "" }

// speakers remembers of types whether they have sentences.
var speakers sync.Map

// speaks reports whether a type has sentences in it.
func speaks(t reflect.Type) bool {
	known, ok := speakers.Load(t)
	if !ok {
		known, _ = speakers.LoadOrStore(t, holds(t, nil))
	}
	return known.(bool)
}

// holds searches for messages in a nested type, which may be recursive.
func holds(t reflect.Type, within []reflect.Type) bool {
	if slices.Contains(within, t) {
		return false
	}
	within = append(slices.Clone(within), t)
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice:
		return holds(t.Elem(), within)
	case reflect.Struct:
		for i := range t.NumField() {
			if field := t.Field(i); isProse(field) || field.IsExported() && holds(field.Type, within) {
				return true
			}
		}
	}
	return false
}
