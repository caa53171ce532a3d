/// An error in the settings, with its location.
public struct ConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
  public var description: String

  public init(_ description: String) { self.description = description }

  /// - Parameter place: The file and line.
  init(unknown name: String, at place: String) {
    let near = NearestName.of(name, among: Setting.all.map(\.name))
    let hint = near.map { "; did you mean \($0)?" } ?? "; list the settings with: hrgate config"
    self.init("\(place): there is no setting \(name)\(hint)")
  }
}
