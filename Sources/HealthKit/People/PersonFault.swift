import Foundation

/// Why a person has no store here, or cannot be changed.
package enum PersonFault: Error, Hashable {
  case invalidName(String)
  case unknown(PersonName)
  case taken(PersonName)
  /// A program has their store open, or a gateway follows their monitors: what it is, as a sentence.
  case inUse(PersonName, String)
  case file(operation: String, path: String, errno: Int32)
}

extension PersonFault: CustomStringConvertible, LocalizedError {
  package var description: String {
    switch self {
    case .invalidName(let text):
      "\(Self.shown(text)) is no name for a person: letters and digits, with single spaces, -, _ or ' between them, 64 at most"
    case .unknown(let name) where name.isOwner:
      "owner is who keeps the stores, and is neither added, renamed nor removed"
    case .unknown(let name):
      "there is no person \(name.text): hrgate people list says who there is, hrgate people add \"\(name.text)\" adds them"
    case .taken(let name) where name.isOwner:
      "owner is who keeps the stores, and is always there"
    case .taken(let name):
      "there is a person \(name.text) already: hrgate people list says who there is"
    case .inUse(let name, let reason): "\(name.text)'s store is in use: \(reason)"
    case .file(let operation, let path, let errno):
      "\(operation) \(path): \(String(cString: strerror(errno)))"
    }
  }

  package var errorDescription: String? { description }

  /// Without what could do something to a terminal.
  private static func shown(_ text: String) -> String {
    guard !text.isEmpty else { return "an empty text" }
    return String(text.prefix(80).map { $0.unicodeScalars.allSatisfy(isShown) ? $0 : "?" })
  }

  private static func isShown(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
    default: true
    }
  }
}
