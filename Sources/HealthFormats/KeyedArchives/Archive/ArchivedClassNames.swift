public import Foundation

/// New names for the classes of an archive.
///
/// Foundation on Linux archives a class as "Module.Class", whatever name was set for it:
/// `NSKeyedArchiver.setClassName` files the name under one key and looks for it under another. Elsewhere
/// classes have no module in archives.
public struct ArchivedClassNames: Sendable {
  private let names: [String: String]

  /// - Parameter names: The new names by the old.
  public init(_ names: [String: String]) { self.names = names }

  /// The archive with the names of its classes and of their ancestors replaced, and all else as it was.
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
