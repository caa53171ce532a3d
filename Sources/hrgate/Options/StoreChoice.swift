import HealthKit
import HealthSystem

/// The store (database file) that a command uses: that of the account owner, that of another person, or a
/// file given as an option. The account owner is the user who runs hrgate. Other people are added with
/// `hrgate people`.
///
/// An option takes precedence over the environment, and that over a file. If the same level sets a store and
/// a person, the choice is ambiguous and rejected.
enum StoreChoice: Hashable {
  /// A file given as an option. It belongs to no person of this user.
  case file(String)
  /// The account owner's store. `isNamed` is true if the account owner was given explicitly.
  case owner(file: String, isNamed: Bool)
  case person(PersonName)

  /// Determines the choice.
  ///
  /// - Parameter home: The directory of the stores without a configured path.
  /// - Throws: `ConfigurationError`, or ``CommandError`` for an unknown person.
  init(path: String?, person: String?, _ settings: Settings, in home: DataHome = .user) throws {
    if let path {
      self = .file(path)
      return
    }
    let ranks = (store: settings.rank(of: .store), person: settings.rank(of: .person))
    let owners = Self.owners(settings, home)
    guard let name = person ?? (ranks.person >= ranks.store ? settings.text(.person) : nil) else {
      self = .owner(file: owners, isNamed: false)
      return
    }
    let wanted = try PersonError.translating { () throws(PersonError) in try PersonName(name) }
    if wanted.isOwner {
      self = .owner(file: owners, isNamed: true)
      return
    }
    guard person != nil || ranks.person > ranks.store else {
      throw ConfigurationError(
        "\(settings.origin(of: .person).text) and \(settings.origin(of: .store).text) both set the store; unset one of them"
      )
    }
    self = .person(
      try PersonError.translating { () throws(PersonError) in try home.people.person(wanted) })
  }

  /// The path of the account owner's store.
  ///
  /// - Throws: `ConfigurationError` if a settings file is invalid.
  static var owners: String {
    get throws { owners(try Settings.current, .user) }
  }

  private static func owners(_ settings: Settings, _ home: DataHome) -> String {
    settings.text(.store) ?? home.ownersStore
  }

  var file: String { file(in: .user) }

  /// Returns the path.
  ///
  /// - Parameter home: The home for which the choice was made.
  func file(in home: DataHome) -> String {
    switch self {
    case .file(let path), .owner(let path, isNamed: _): path
    case .person(let name): home.people.store(of: name)
    }
  }

  /// The person; `nil` for the account owner's store and for a file.
  var person: PersonName? {
    if case .person(let name) = self { name } else { nil }
  }
}

extension PersonError {
  /// Returns the result of `work`, and converts its `PersonError` to a ``CommandError``.
  static func translating<Value>(_ work: () throws(PersonError) -> Value) throws -> Value {
    do {
      return try work()
    } catch {
      throw CommandError(error.description)
    }
  }

  static func translating<Value>(_ work: () async throws -> Value) async throws -> Value {
    do {
      return try await work()
    } catch let fault as PersonError {
      throw CommandError(fault.description)
    }
  }
}
