import HealthDataSync

/// Looks up the destinations that a command names, and converts their errors for the user.
enum Destinations {
  /// Returns the named destinations, or all of them if `names` is empty.
  ///
  /// - Throws: ``CommandError`` if a name is unknown or there are no destinations.
  static func named(_ names: [String], in destinations: SyncDestinations) async throws -> [SyncDestination] {
    let all = try await destinations.list()
    guard !all.isEmpty else { throw CommandError(none) }
    for name in names where !all.contains(where: { $0.name == name }) {
      throw failure(.unknown(name))
    }
    return names.isEmpty ? all : all.filter { names.contains($0.name) }
  }

  static let none = "there is no destination; add one with: hrgate sync add NAME URL"

  /// Runs `body` and converts its `SyncDestinationError` to a ``CommandError`` with advice.
  static func naming<Value>(_ body: () async throws -> Value) async throws -> Value {
    do {
      return try await body()
    } catch let error as SyncDestinationError {
      throw failure(error)
    }
  }

  private static func failure(_ error: SyncDestinationError) -> CommandError {
    if case .unknown = error { return CommandError("\(error); list the destinations with: hrgate sync list") }
    return CommandError("\(error)")
  }
}
