/// What kind of data a file holds, by its uniform type identifier. Two types are equal if their identifiers
/// are.
///
/// Linux has no register of types to ask. The types that are known are those of ``declared``, which are
/// system-declared on Apple's systems, with the same identifiers and the same preferred extensions; any other
/// identifier is made a type by ``init(importedAs:conformingTo:)``.
public struct UTType: Hashable, Sendable {
  /// Such as `public.jpeg`.
  public let identifier: String
  /// Of a type that is not in the table: what its maker says that it is.
  private let parent: String?

  private init(_ identifier: String, parent: String?) {
    self.identifier = identifier
    self.parent = parent
  }

  /// The type of an identifier; nil for one that is not known.
  public init?(_ identifier: String) {
    guard let known = Declaration.byIdentifier[Self.folded(identifier)] else { return nil }
    self.init(known.identifier, parent: nil)
  }

  /// The known type of an extension, without its dot; nil where there is none that conforms. Apple's makes up
  /// a type then.
  public init?(filenameExtension: String, conformingTo supertype: UTType = .data) {
    self.init(conformingTo: supertype) { $0.extensions.contains(Self.folded(filenameExtension)) }
  }

  /// The known type of a MIME type; nil where there is none that conforms. Apple's makes up a type then.
  public init?(mimeType: String, conformingTo supertype: UTType = .data) {
    self.init(conformingTo: supertype) { $0.mimeTypes.contains(Self.folded(mimeType)) }
  }

  private init?(conformingTo supertype: UTType, _ fits: (Declaration) -> Bool) {
    let found = Declaration.table.first { declaration in
      fits(declaration) && UTType(declaration.identifier, parent: nil).conforms(to: supertype)
    }
    guard let found else { return nil }
    self.init(found.identifier, parent: nil)
  }

  /// A type that a program defines.
  /// - Parameter parentType: what it is besides; nil for data.
  public init(exportedAs identifier: String, conformingTo parentType: UTType? = nil) {
    self.init(importedAs: identifier, conformingTo: parentType)
  }

  /// A type that another program defines.
  /// - Parameter parentType: what it is besides; nil for data.
  public init(importedAs identifier: String, conformingTo parentType: UTType? = nil) {
    self = UTType(identifier) ?? UTType(identifier, parent: (parentType ?? .data).identifier)
  }

  // MARK: - What is known of it

  private var declaration: Declaration? { Declaration.byIdentifier[Self.folded(identifier)] }

  /// Without a dot; nil where no file has one.
  public var preferredFilenameExtension: String? { declaration?.extensions.first }
  public var preferredMIMEType: String? { declaration?.mimeTypes.first }
  /// Whether the type is in the table.
  public var isDeclared: Bool { declaration != nil }
  /// Whether its identifier is one of the standard's own, which no company owns.
  public var isPublic: Bool { Self.folded(identifier).hasPrefix("public.") }
  /// Whether the identifier was made up for an unknown extension, which here none is.
  public var isDynamic: Bool { false }

  /// All that the type conforms to, without itself.
  public var supertypes: Set<UTType> {
    var found: Set<UTType> = []
    var open = parents
    while let next = open.popLast() {
      if found.insert(next).inserted { open += next.parents }
    }
    return found
  }

  private var parents: [UTType] {
    let names = declaration?.parents ?? (parent.map { [$0] } ?? [])
    return names.map { UTType($0) ?? UTType($0, parent: nil) }
  }

  /// Whether it is the type or one of its kinds.
  public func conforms(to type: UTType) -> Bool { self == type || supertypes.contains(type) }

  public func isSubtype(of type: UTType) -> Bool { supertypes.contains(type) }
  public func isSupertype(of type: UTType) -> Bool { type.supertypes.contains(self) }

  // MARK: - Equality

  public static func == (left: UTType, right: UTType) -> Bool {
    folded(left.identifier) == folded(right.identifier)
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(Self.folded(identifier)) }

  /// Identifiers, extensions and MIME types are the same in capitals.
  static func folded(_ text: String) -> String { text.lowercased() }
}

extension UTType: CustomStringConvertible {
  public var description: String { identifier }
}

extension UTType: Codable {
  public init(from decoder: any Decoder) throws {
    self.init(importedAs: try decoder.singleValueContainer().decode(String.self))
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(identifier)
  }
}
