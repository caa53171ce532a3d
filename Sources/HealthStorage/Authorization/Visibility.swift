import GRDB

/// The samples that an application may see in one read: its own, and samples that the user allows it to read.
struct Visibility {
  private let application: String
  /// The types whose samples are all visible to the application.
  private var types: [String] = []
  /// Container types, such as correlations, each with the types in it that the application may read. A
  /// container is visible if it contains a sample of one of these types.
  private var containers: [(type: String, parts: [String])] = []
  /// Whether the user has allowed the application to read any individual objects.
  private var hasObjects = false
  /// Whether the application may read all types that it wants to read.
  private var isWhole: Bool

  /// - Throws: `StorageError.undecided` if the user was never asked about one of the types, or, for a
  ///   container, about any of the types in it.
  private init(_ wanted: [ProtectedType], _ lookup: PermissionLookup) throws {
    application = lookup.application
    isWhole = !wanted.isEmpty
    for type in wanted {
      switch type {
      case .type(let identifier):
        guard let read = try lookup.permission(for: identifier).read else { throw StorageError.undecided }
        if read { types.append(identifier) } else { isWhole = false }
      case .container(let identifier, let parts):
        let decided = try parts.map { (type: $0, read: try lookup.permission(for: $0).read) }
        guard decided.contains(where: { $0.read != nil }) else { throw StorageError.undecided }
        containers.append((identifier, decided.filter { $0.read == true }.map(\.type)))
        isWhole = false
      case .objects:
        hasObjects = true
        isWhole = false
      }
    }
  }

  /// Returns which samples an application may see.
  /// - Returns: `nil` for hrgate itself, which may see all samples.
  static func of(_ admission: Admission, in database: Database) throws -> Visibility? {
    switch admission {
    case .system: nil
    case .sharing(_, let application):
      try Visibility([], PermissionLookup(application, in: database))
    case .reading(let types, let application):
      try Visibility(types, PermissionLookup(application, in: database))
    }
  }
}

extension Visibility {
  /// Returns an SQL condition on the table `sample` that excludes samples hidden from the application. It is
  /// always true if the application may see all types that the filter can select.
  func samples(in filter: SampleFilter) -> SQLCondition {
    guard !isWhole || !filter.isLimited(to: Set(types)) else { return .always }
    var alternatives = [own]
    if !types.isEmpty { alternatives.append(Self.isOneOf(types, "sample.type")) }
    alternatives += containers.filter { !$0.parts.isEmpty }.map(Self.container)
    if hasObjects { alternatives.append(chosenObjects) }
    return .any(alternatives)
  }

  /// An SQL condition on `sample` for reading the samples in a container, such as a workout: selects the
  /// application's own samples, and those of all types that it may read.
  var parts: SQLCondition {
    let readable = SQLCondition(
      sql: """
        sample.type IN (SELECT object_type.id FROM object_type
        JOIN permission ON permission.type = object_type.identifier
        JOIN application ON application.id = permission.application WHERE application.identifier = ? AND read)
        """,
      arguments: [application])
    return .any([own, readable])
  }

  /// An SQL condition on `sample` for adding samples to a container, such as a workout: selects the samples
  /// that the application may read, including single objects that the user has selected.
  var associable: SQLCondition { .any([parts, chosenObjects]) }

  /// An SQL condition on `deleted_object`: deletions that the application may see. The content of a deleted
  /// container, such as a correlation, is not kept. So its deletion is visible if the application may read
  /// any of the types that it can contain.
  var deletions: SQLCondition {
    guard !isWhole else { return .always }
    let own = SQLCondition(
      sql: "source IN (SELECT id FROM source WHERE bundle_identifier = ?)", arguments: [application])
    let reportedTypes = types + containers.filter { !$0.parts.isEmpty }.map(\.type)
    return .any([own, Self.isOneOf(reportedTypes, "type")])
  }

  private var own: SQLCondition { SampleFilter.sources([application]).conditionRegardlessOfPermission }

  private var chosenObjects: SQLCondition {
    SQLCondition(
      sql: """
        sample.id IN (SELECT sample FROM readable_object
        JOIN application ON application.id = readable_object.application WHERE application.identifier = ?)
        """,
      arguments: [application])
  }

  private static func container(_ type: String, _ parts: [String]) -> SQLCondition {
    let type = isOneOf([type], "sample.type")
    let part = isOneOf(parts, "part.type")
    return SQLCondition(
      sql: """
        (\(type.sql) AND EXISTS (SELECT 1 FROM membership JOIN sample AS part ON part.id = membership.member
        WHERE membership.container = sample.id AND \(part.sql)))
        """,
      arguments: type.arguments + part.arguments)
  }

  private static func isOneOf(_ types: [String], _ column: String) -> SQLCondition {
    let marks = Array(repeating: "?", count: types.count).joined(separator: ", ")
    return SQLCondition(
      sql: "\(column) IN (SELECT id FROM object_type WHERE identifier IN (\(marks)))",
      arguments: StatementArguments(types))
  }
}

extension SampleDatabase {
  /// Returns the SQL condition of a query on samples: the filter, limited to samples that the application may
  /// see.
  func condition(of filter: SampleFilter, in database: Database) throws -> SQLCondition {
    try resolved(filter, in: database).condition(among: try Visibility.of(admission, in: database))
  }
}

extension SampleFilter {
  /// - Parameter visible: What the application may see; `nil` for hrgate itself.
  func condition(among visible: Visibility?) -> SQLCondition {
    guard let visible else { return conditionRegardlessOfPermission }
    return condition(ofType: nil, held: visible.parts) && visible.samples(in: self)
  }

  /// Whether the filter selects only samples of these types.
  fileprivate func isLimited(to types: Set<String>) -> Bool {
    switch self {
    case .nothing: true
    case .type(let type): types.contains(type)
    case .all(let parts): parts.contains { $0.isLimited(to: types) }
    case .any(let parts): parts.allSatisfy { $0.isLimited(to: types) }
    default: false
    }
  }
}
