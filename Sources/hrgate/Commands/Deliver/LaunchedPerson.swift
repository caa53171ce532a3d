import Foundation
import HealthKit

/// For whom a program is started: it looks for its store where `HRGATE_PERSON` says, and would otherwise read
/// and acknowledge in somebody else's.
struct LaunchedPerson {
  static let variable = "HRGATE_PERSON"

  let choice: StoreChoice

  /// What a program gets that is started here. Of a store that an option names, it knows itself.
  var environment: [String: String] {
    var environment = ProcessInfo.processInfo.environment
    switch choice {
    case .person(let name): environment[Self.variable] = name.text
    case .owner: environment[Self.variable] = nil
    case .file: break
    }
    return environment
  }

  /// Whether it depends on a unit's own environment whose store the unit's program finds.
  var dependsOnUnit: Bool { if case .file = choice { false } else { true } }

  /// Why a unit is not for this person.
  ///
  /// - Parameter environment: The unit's, as systemctl shows it: assignments with blanks between them, in
  ///   quotation marks where they have blanks of their own.
  func refusal(of unit: String, environment: String) -> String? {
    let prefix = Self.variable + "="
    let value = String(
      Self.words(environment).last { $0.hasPrefix(prefix) }?.dropFirst(prefix.count) ?? "")
    let name = value.isEmpty ? nil : try? PersonName(value)
    let isOwners = value.isEmpty || name?.isOwner == true
    guard !(choice.person.map { $0 == name } ?? isOwners) else { return nil }
    guard let person = choice.person else {
      return "the unit \(unit) has \(prefix)\(value.plain), and would find that person's store"
    }
    let assignment = "Environment=\"\(prefix)\(person.text)\""
    return "the unit \(unit) does not say that it is \(person.text.plain)'s, and would find another store: "
      + "systemctl --user edit \(unit), and below [Service] \(assignment)"
  }

  private static func words(_ text: String) -> [String] {
    var words: [String] = []
    var word = ""
    var (isQuoted, isEscaped) = (false, false)
    for character in text {
      switch character {
      case _ where isEscaped:
        word.append(character)
        isEscaped = false
      case "\\": isEscaped = true
      case "\"": isQuoted.toggle()
      case " " where !isQuoted, "\n" where !isQuoted:
        if !word.isEmpty { words.append(word) }
        word = ""
      default: word.append(character)
      }
    }
    return word.isEmpty ? words : words + [word]
  }
}
