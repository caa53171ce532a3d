import Foundation
import FuzzDriver
import HealthFormats

/// Decodes the input as a keyed archive of two classes and all Foundation values, and compares and hashes the
/// objects.
@main
enum FuzzArchive {
  static func main() { fuzz(test) }
}

private func test(_ bytes: [UInt8]) {
  let values: [AnyClass] = [
    NSString.self, NSNumber.self, NSDate.self, NSData.self, NSUUID.self, NSURL.self, NSNull.self,
    NSDateInterval.self, NSDateComponents.self, NSTimeZone.self, NSCalendar.self, NSLocale.self, NSArray.self,
    NSSet.self, NSOrderedSet.self, NSDictionary.self, ArchivedLeaf.self, ArchivedTree.self,
  ]
  let classes: [String: ArchivableClass] = ["Leaf": ArchivedLeaf.self, "Tree": ArchivedTree.self]
  let data = Data(bytes)
  if let tree = try? SecureUnarchiver.unarchive(
    ArchivedTree.self, containing: values, from: data, classes: classes)
  {
    precondition(tree.isEqual(tree))
    _ = tree.hash
    renamed(data, isTree: true, classes, values)
  } else {
    renamed(data, isTree: false, classes, values)
  }
  if let array = try? SecureUnarchiver.unarchive(
    NSArray.self, containing: values, from: data, classes: classes)
  {
    for element in array {
      _ = array.contains(element)
      _ = bridged(element)
    }
    _ = array.hash
  }
}

/// Renames the classes of an archive and renames them back, which must yield the same objects.
///
/// Renaming may fail even if decoding succeeds, because it also checks objects that are not referenced.
private func renamed(_ data: Data, isTree: Bool, _ classes: [String: ArchivableClass], _ values: [AnyClass]) {
  let there = ArchivedClassNames(["Tree": "Wood", "Leaf": "Foliage"])
  let back = ArchivedClassNames(["Wood": "Tree", "Foliage": "Leaf"])
  guard let other = try? there.applied(to: data) else { return }
  guard let again = try? back.applied(to: other) else { preconditionFailure("renaming broke the archive") }
  guard isTree else { return }
  let tree = try? SecureUnarchiver.unarchive(
    ArchivedTree.self, containing: values, from: again, classes: classes)
  precondition(tree != nil)
}

/// Converts a decoded Foundation object to the corresponding Swift type, such as `NSURL` to `URL`.
private func bridged(_ value: Any) -> Any? {
  switch value {
  case let value as NSURL: value as URL
  case let value as NSUUID: value as UUID
  case let value as NSDate: value as Date
  case let value as NSDateInterval: value as DateInterval
  case let value as NSDateComponents: value as DateComponents
  case let value as NSTimeZone: value as TimeZone
  case let value as NSCalendar: value as Calendar
  case let value as NSLocale: value as Locale
  case let value as NSString: value as String
  case let value as NSData: value as Data
  case let value as NSDictionary: value as? [String: Any]
  case let value as NSSet: value as? Set<String>
  default: nil
  }
}
