import Foundation
import FuzzDriver
import KeyedArchives

/// Reads the input as a keyed archive of two classes and of every Foundation value; what is read is compared and hashed.
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
  }
  if let array = try? SecureUnarchiver.unarchive(
    NSArray.self, containing: values, from: data, classes: classes)
  {
    for element in array { _ = array.contains(element) }
    _ = array.hash
  }
}
