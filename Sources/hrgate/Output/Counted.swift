/// Formats a count with its noun: `1 measurement`, `2 measurements`.
enum Counted {
  static func text(_ count: Int, _ one: String, _ several: String? = nil) -> String {
    "\(count) \(count == 1 ? one : several ?? one + "s")"
  }
}
