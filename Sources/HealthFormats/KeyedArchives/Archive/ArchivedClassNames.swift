public import Foundation

/// A mapping that renames the classes in an archive.
///
/// Foundation on Linux archives a class as "Module.Class", even if another name was set, because
/// `NSKeyedArchiver.setClassName` stores the name under one key and looks it up under another. On Apple's
/// systems, archives contain class names without a module.
public struct ArchivedClassNames: Sendable {
  private let names: [String: String]

  /// Creates a mapping.
  /// - Parameter names: The new names, keyed by the old ones.
  public init(_ names: [String: String]) { self.names = names }

  /// Returns the archive with the names of its classes and their superclasses replaced, and everything else
  /// unchanged.
  /// - Throws: ``ArchiveError`` if the archive is not valid.
  public func applied(
    to archive: Data, limits: ArchiveLimits = ArchiveLimits()
  ) throws(ArchiveError) -> Data {
    let archive = try KeyedArchive(parsing: archive, limits: limits)
    var rewriting = BinaryPropertyListRewriting(archive.list)
    for description in try archive.classDescriptions() {
      guard let entries = try archive.list.entries(description) else { continue }
      for (key, value) in entries where key == "$classname" { replace(value, in: description, &rewriting) }
      guard let ancestors = entries["$classes"], case .array(let references) = archive.list.nodes[ancestors]
      else { continue }
      for position in 0..<references.count {
        replace(archive.list.target(position, of: references), in: ancestors, &rewriting)
      }
    }
    return Data(rewriting.bytes)
  }

  private func replace(_ name: Int, in container: Int, _ rewriting: inout BinaryPropertyListRewriting) {
    guard let old = rewriting.list.string(name), let new = names[old] else { return }
    rewriting.replace(name, in: container, with: new)
  }
}
