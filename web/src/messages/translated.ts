/**
 * The type of another language's texts for `T`, a part of the English catalogue: the same keys, functions of
 * the same parameters, any text. A key that is missing, too many or of another shape does not compile.
 */
export type Translated<T> = T extends string
  ? string
  : T extends (...given: infer Given) => infer Answer
    ? (...given: Given) => Translated<Answer>
    : { readonly [Key in keyof T]: Translated<T[Key]> }
