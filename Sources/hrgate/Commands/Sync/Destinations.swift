import HealthDataSync

/// The destinations that a command is about.
enum Destinations {
  /// Those of these names, each once; all where none is named.
  /// - Throws: ``Failure`` where one is not known, or there is none at all.
  static func named(_ names: [String], in destinations: SyncDestinations) async throws -> [SyncDestination] {
    let all = try await destinations.list()
    guard !all.isEmpty else { throw Failure(none) }
    for name in names where !all.contains(where: { $0.name == name }) {
      throw failure(.unknown(name))
    }
    return names.isEmpty ? all : all.filter { names.contains($0.name) }
  }

  static let none = "no destination is added yet: hrgate sync add NAME URL adds one"

  /// What a destination's name was wrong for, in the user's words.
  static func naming<Value>(_ body: () async throws -> Value) async throws -> Value {
    do {
      return try await body()
    } catch let error as SyncDestinationError {
      throw failure(error)
    }
  }

  private static func failure(_ error: SyncDestinationError) -> Failure {
    if case .unknown = error { return Failure("\(error); hrgate sync list shows which there are") }
    return Failure("\(error)")
  }
}
