import Foundation
import HealthKit

/// The person for whom a program is started. The environment variable `HRGATE_PERSON` tells the program which
/// person's store to open. Without it, the program would read and acknowledge another person's data.
struct LaunchedPerson {
  static let variable = "HRGATE_PERSON"

  let choice: StoreChoice

  /// The environment for a started executable. If an option names the store file, the variable is left
  /// unchanged.
  var environment: [String: String] {
    var environment = ProcessInfo.processInfo.environment
    switch choice {
    case .person(let name): environment[Self.variable] = name.text
    case .owner: environment[Self.variable] = nil
    case .file: break
    }
    return environment
  }

  /// Whether the store that a unit's program opens depends on the unit's own environment.
  var dependsOnUnit: Bool { if case .file = choice { false } else { true } }

  /// Returns the error if the unit is for another person.
  ///
  /// - Parameter environment: The unit's environment as `systemctl show` prints it: assignments separated by
  ///   spaces, quoted if they contain spaces.
  func refusal(of unit: String, environment: String) -> String? {
    let prefix = Self.variable + "="
    let value = String(
      Self.words(environment).last { $0.hasPrefix(prefix) }?.dropFirst(prefix.count) ?? "")
    let name = value.isEmpty ? nil : try? PersonName(value)
    let isOwners = value.isEmpty || name?.isOwner == true
    guard !(choice.person.map { $0 == name } ?? isOwners) else { return nil }
    guard let person = choice.person else {
      return
        "the unit \(unit) sets \(prefix)\(value.plain), so it would open that person's data; remove the line with: systemctl --user edit \(unit)"
    }
    let assignment = "Environment=\"\(prefix)\(person.text)\""
    return "the unit \(unit) does not set \(prefix)\(person.text.plain), so it would open other data; "
      + "run systemctl --user edit \(unit) and add below [Service]: \(assignment)"
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
