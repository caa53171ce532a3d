/// The language modes of Swift in which other people's programs are compiled.
enum LanguageMode: Int, CaseIterable, CustomStringConvertible {
  case five = 5
  case six = 6

  var description: String { "Swift \(rawValue)" }
}
