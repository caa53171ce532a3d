/// Why nothing can be done with a destination of that name.
public enum SyncDestinationError: Error, Hashable, Sendable {
  case invalidName(String)
  /// There is one of that name.
  case taken(String)
  /// There is none of that name, or there is none any more.
  case unknown(String)
  /// This or another process carries to it now; its number, where that is known.
  case running(String, process: Int32?)
}

extension SyncDestinationError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .invalidName(let name):
      "“\(name)” cannot name a destination: a name has 1 to 64 letters, digits, dots, underscores and hyphens (A-Z a-z 0-9 . _ -)"
    case .taken(let name):
      "there is a destination called \(name) already: remove it first, or choose another name"
    case .unknown(let name):
      "there is no destination called \(name)"
    case .running(let name, let process):
      "\(process.map { "process \($0)" } ?? "another program") carries to \(name) already: leave it to that, or end it"
    }
  }
}
