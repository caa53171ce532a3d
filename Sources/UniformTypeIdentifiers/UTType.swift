// Programs that import UniformTypeIdentifiers also get Foundation's URL and Data, as on Apple's systems.
@_exported public import Foundation

/// A type of data, identified by a uniform type identifier. Two types are equal if their identifiers are.
///
/// Linux has no registry of types. This module knows the types in ``declared``, with the same identifiers and
/// preferred extensions as on Apple's systems. Create a type for any other identifier with
/// ``init(importedAs:conformingTo:)``.
public struct UTType: Hashable, Sendable {
  /// The identifier, such as `public.jpeg`.
  public let identifier: String
  /// The supertype that the program passed for a type that is not in `Declaration.table`.
  private let parent: String?

  private init(_ identifier: String, parent: String?) {
    self.identifier = identifier
    self.parent = parent
  }

  /// Creates a type from its identifier, or returns nil if the identifier is unknown.
  public init?(_ identifier: String) {
    guard let known = Declaration.byIdentifier[Self.folded(identifier)] else { return nil }
    self.init(known.identifier, parent: nil)
  }

  /// Creates the known type with a filename extension (without the dot), or returns nil if there is no such
  /// type. In that case, Apple's initializer creates a dynamic type.
  public init?(filenameExtension: String, conformingTo supertype: UTType = .data) {
    self.init(conformingTo: supertype) { $0.extensions.contains(Self.folded(filenameExtension)) }
  }

  /// Creates the known type with a MIME type, or returns nil if there is no such type. In that case, Apple's
  /// initializer creates a dynamic type.
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

  /// Creates a type that is defined by this program.
  /// - Parameter parentType: The type to which it conforms, or nil for data.
  public init(exportedAs identifier: String, conformingTo parentType: UTType? = nil) {
    self.init(importedAs: identifier, conformingTo: parentType)
  }

  /// Creates a type that is defined by another program.
  /// - Parameter parentType: The type to which it conforms, or nil for data.
  public init(importedAs identifier: String, conformingTo parentType: UTType? = nil) {
    self = UTType(identifier) ?? UTType(identifier, parent: (parentType ?? .data).identifier)
  }

  // MARK: - Properties

  private var declaration: Declaration? { Declaration.byIdentifier[Self.folded(identifier)] }

  /// The preferred filename extension without a dot, or nil if the type has no extension.
  public var preferredFilenameExtension: String? { declaration?.extensions.first }
  /// The preferred MIME type, or nil if the type has no MIME type.
  public var preferredMIMEType: String? { declaration?.mimeTypes.first }
  /// Whether the type is in the table of known types.
  public var isDeclared: Bool { declaration != nil }
  /// Whether the identifier starts with `public.`, a namespace that no company owns.
  public var isPublic: Bool { Self.folded(identifier).hasPrefix("public.") }
  /// Whether the identifier was generated for an unknown extension. Always false, because this module
  /// generates none.
  public var isDynamic: Bool { false }

  /// All types to which this type conforms, excluding the type itself.
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

  /// Returns whether this is the given type or one of its subtypes.
  public func conforms(to type: UTType) -> Bool { self == type || supertypes.contains(type) }

  /// Returns whether this type conforms to another type and is not equal to it.
  public func isSubtype(of type: UTType) -> Bool { supertypes.contains(type) }
  /// Returns whether another type conforms to this type and is not equal to it.
  public func isSupertype(of type: UTType) -> Bool { type.supertypes.contains(self) }

  // MARK: - Equality

  public static func == (left: UTType, right: UTType) -> Bool {
    folded(left.identifier) == folded(right.identifier)
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(Self.folded(identifier)) }

  /// Returns the text in lowercase, because identifiers, extensions and MIME types are case-insensitive.
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
