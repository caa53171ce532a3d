import Foundation

/// A class that decodes objects, including objects of its own class.
final class ArchivedTree: NSObject, NSSecureCoding {
  static var supportsSecureCoding: Bool { true }
  private let name: String
  private let leaf: ArchivedLeaf?
  private let children: [ArchivedTree]
  private let labels: [String: Any]
  private let tags: Set<String>
  private let dates: [NSObject?]

  init?(coder: NSCoder) {
    guard let name = coder.decodeObject(of: NSString.self, forKey: "name") as String? else { return nil }
    self.name = name
    leaf = coder.decodeObject(of: ArchivedLeaf.self, forKey: "leaf")
    children =
      coder.decodeObject(of: [NSArray.self, ArchivedTree.self], forKey: "children") as? [ArchivedTree] ?? []
    labels =
      coder.decodeObject(
        of: [NSDictionary.self, NSString.self, NSNumber.self, NSDate.self, ArchivedLeaf.self],
        forKey: "labels")
      as? [String: Any] ?? [:]
    tags = coder.decodeObject(of: [NSSet.self, NSString.self], forKey: "tags") as? Set<String> ?? []
    dates = [
      coder.decodeObject(of: NSDateInterval.self, forKey: "interval"),
      coder.decodeObject(of: NSDateComponents.self, forKey: "components"),
      coder.decodeObject(of: NSURL.self, forKey: "url"),
    ]
    _ = coder.decodeObject(of: NSURL.self, forKey: "url") as URL?
    _ = coder.decodeObject(of: NSDateComponents.self, forKey: "components") as DateComponents?
    guard coder.error == nil else { return nil }
  }

  func encode(with coder: NSCoder) {}

  override var hash: Int { name.hashValue ^ labels.count ^ tags.count }

  override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? ArchivedTree else { return false }
    return other === self
      || name == other.name && leaf == other.leaf && children == other.children
        && tags == other.tags && labels.count == other.labels.count && dates == other.dates
  }
}
