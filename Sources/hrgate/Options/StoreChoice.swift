import HealthKit
import HealthSystem

/// Which store a command is about.
///
/// An option counts more than the environment, that more than a file. Where one place names a store and a
/// person, it is not known which is meant.
enum StoreChoice: Hashable {
  /// A file that an option names. It belongs to nobody that this user keeps stores of.
  case file(String)
  /// The owner's; `isNamed` where it was said that it is the owner's.
  case owner(file: String, isNamed: Bool)
  case person(PersonName)

  /// - Parameter home: Where the stores lie that no setting names.
  /// - Throws: `ConfigurationFault`; ``Failure`` for a person that there is not.
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
    let wanted = try PersonFault.told { () throws(PersonFault) in try PersonName(name) }
    if wanted.isOwner {
      self = .owner(file: owners, isNamed: true)
      return
    }
    guard person != nil || ranks.person > ranks.store else {
      throw ConfigurationFault(
        "\(settings.origin(of: .person).text) and \(settings.origin(of: .store).text) both say which store: unset one of them"
      )
    }
    self = .person(
      try PersonFault.told { () throws(PersonFault) in try home.people.person(wanted) })
  }

  /// The owner's store.
  /// - Throws: `ConfigurationFault`.
  static var owners: String {
    get throws { owners(try Settings.current, .user) }
  }

  private static func owners(_ settings: Settings, _ home: DataHome) -> String {
    settings.text(.store) ?? home.ownersStore
  }

  var file: String { file(in: .user) }

  /// - Parameter home: Where the choice was made.
  func file(in home: DataHome) -> String {
    switch self {
    case .file(let path), .owner(let path, isNamed: _): path
    case .person(let name): home.people.store(of: name)
    }
  }

  /// Whose it is; `nil` for the owner's, and for a file's.
  var person: PersonName? {
    if case .person(let name) = self { name } else { nil }
  }
}

extension PersonFault {
  /// The result of the work. A fault ends the command with its sentence.
  static func told<Value>(_ work: () throws(PersonFault) -> Value) throws -> Value {
    do {
      return try work()
    } catch {
      throw Failure(error.description)
    }
  }

  static func told<Value>(_ work: () async throws -> Value) async throws -> Value {
    do {
      return try await work()
    } catch let fault as PersonFault {
      throw Failure(fault.description)
    }
  }
}
