import Foundation
import Testing

/// Compares `docs/healthkit-rules.md` with the tests that it names and with the document of differences.
@Suite struct RuleTests {
  @Test func `each rule occurs once, under the chapter of its number`() throws {
    let rules = try Rule.all()
    #expect(rules.count > 150)
    #expect(Dictionary(grouping: rules, by: \.identifier).filter { $1.count > 1 }.keys.sorted() == [])
    for rule in rules { #expect(rule.identifier.hasPrefix("\(rule.chapter)-"), "\(rule.identifier)") }
  }

  @Test func `each rule names a test or explains why it does not apply`() throws {
    for rule in try Rule.all() {
      #expect(!rule.tests.isEmpty || rule.isExplained, "\(rule.identifier)")
      #expect(rule.unknownLines == [], "\(rule.identifier)")
    }
  }

  @Test func `each test named by a rule exists`() throws {
    let tests = try TestSource.all()
    for rule in try Rule.all() {
      let missing = rule.tests.filter { !tests.contains($0) }
      #expect(missing == [], "\(rule.identifier)")
    }
  }

  @Test func `each difference named by a rule is on the page of differences`() throws {
    let page = try String(
      contentsOf: SourceFile.root.appending(path: "Sources/HealthKit/Documentation.docc/Differences.md"),
      encoding: .utf8)
    for rule in try Rule.all() {
      let missing = rule.differences.filter { !page.contains("\n- **\($0)") }
      #expect(missing == [], "\(rule.identifier)")
    }
  }
}

/// A rule in the document.
private struct Rule {
  let identifier: String
  let chapter: String
  var tests: [String] = []
  var differences: [String] = []
  var isExplained = false
  var unknownLines: [String] = []

  static func all() throws -> [Rule] {
    let text = try String(
      contentsOf: SourceFile.root.appending(path: "docs/healthkit-rules.md"), encoding: .utf8)
    var rules: [Rule] = []
    var chapter = ""
    var isIntroduction = true
    for line in text.split(separator: "\n") {
      if let heading = line.firstMatch(of: #/^## ([0-9.]+) /#) {
        chapter = String(heading.1)
        isIntroduction = true
      } else if let entry = line.firstMatch(of: #/^- \*\*([0-9a-z.-]+)\*\* [A-Z].*[.]$/#) {
        rules.append(Rule(identifier: String(entry.1), chapter: chapter))
        isIntroduction = false
      } else if !isIntroduction {
        rules[rules.count - 1].add(line)
      }
    }
    return rules
  }

  private mutating func add(_ line: Substring) {
    if let test = line.firstMatch(of: #/^  - `([^`]+)`$/#) {
      tests.append(String(test.1))
    } else if let difference = line.firstMatch(of: #/^  - Differs: (.+)$/#) {
      differences.append(String(difference.1))
    } else if line.hasPrefix("  - Not here: ") {
      isExplained = true
    } else {
      unknownLines.append(String(line))
    }
  }
}

/// The tests of the package, as `Suite/function`.
private enum TestSource {
  static func all() throws -> Set<String> {
    let folder = SourceFile.root.appending(path: "Tests")
    let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
    var tests: Set<String> = []
    for case let file as URL in files ?? .init() where file.pathExtension == "swift" {
      let text = try String(contentsOf: file, encoding: .utf8)
      for suite in text.components(separatedBy: "\n@Suite").dropFirst() {
        guard let name = suite.firstMatch(of: #/(?:struct|class|actor|enum) (\w+)/#) else { continue }
        for test in suite.components(separatedBy: "@Test").dropFirst() {
          guard let function = test.firstMatch(of: #/func\s+(?:`([^`]+)`|(\w+))/#) else { continue }
          tests.insert("\(name.1)/\(function.1 ?? function.2 ?? "")")
        }
      }
    }
    return tests
  }
}
