/// The document for readers, in Markdown. The same coverage always gives the same text.
struct CoverageDocument {
  let coverage: Coverage

  var text: String {
    ([Self.introduction, summary] + coverage.sections.map(table) + [extras]).joined(separator: "\n\n") + "\n"
  }

  private static let introduction = """
    # What of Apple's HealthKit is here

    Written by `scripts/coverage` from the public symbols of the module `HealthKit` and the tables below `Data/`; do
    not edit it.

    - A row is a public symbol of Apple's HealthKit in Swift's spelling. Overloads with the same name and labels are
      one row. A member of an option set with the value 0 has no row: its spelling in Swift is `[]`.
    - *present*: a client that names the symbol compiles. What a type inherits counts.
    - *different*: present, and deliberately not the same; the row says how.
    - *absent*: not there.
    """

  private var summary: String {
    let rows = coverage.sections.map { section in
      row("\(section.section.number)", section.section.title, section.count)
    }
    return """
      ## Summary

      | Section | | Present | Different | Absent | Total |
      | --- | --- | ---: | ---: | ---: | ---: |
      \((rows + [row("", "**All**", coverage.count)]).joined(separator: "\n"))
      """
  }

  private func row(_ number: String, _ title: String, _ count: Coverage.Count) -> String {
    "| \(number) | \(title) | \(count.present) | \(count.different) | \(count.absent) | \(count.total) |"
  }

  private func table(_ section: Coverage.Section) -> String {
    let rows = section.rows.map { symbol, status in
      "| `\(symbol.name)` | \(symbol.kind) | \(symbol.since) | \(cell(status)) |"
    }
    return """
      ## \(section.section.number) \(section.section.title)

      | Symbol | Kind | iOS | Here |
      | --- | --- | --- | --- |
      \(rows.joined(separator: "\n"))
      """
  }

  private func cell(_ status: Coverage.Status) -> String {
    switch status {
    case .present: "present"
    case .different(let how): "different: \(how)"
    case .absent: "absent"
    }
  }

  private var extras: String {
    """
    ## Public symbols that Apple's HealthKit does not have

    \(coverage.extras.map { "- `\($0)`" + ($1.map { ": \($0)" } ?? "") }.joined(separator: "\n"))
    """
  }
}
