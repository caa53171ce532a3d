public import Foundation
import HealthFormats

/// A class of this module that has a name in archives.
///
/// Not meant to be adopted elsewhere. (Not in Apple's framework.)
public protocol HKArchivable: NSObject, NSSecureCoding {}

extension NSKeyedArchiver {
  /// As Foundation's method, for objects of HealthKit: their classes are archived under Apple's names,
  /// without a module, so that Apple's framework and other programs find them.
  public static func archivedData<Root: HKArchivable>(
    withRootObject object: Root, requiringSecureCoding requiresSecureCoding: Bool
  ) throws -> Data {
    _ = ArchivedClasses.areKnownToFoundation
    let data = try archivedData(withRootObject: object as Any, requiringSecureCoding: requiresSecureCoding)
    return try ArchivedClasses.plainNames.applied(to: data)
  }
}

extension NSKeyedUnarchiver {
  /// As Foundation's method, for objects of HealthKit, and safe with archives from outside: the data chooses
  /// no class, and nothing in it ends the process. (Foundation's own method on Linux does, on an unexpected
  /// class.)
  /// - Throws: an error that says where the archive is not what it should be.
  public static func unarchivedObject<Root: HKArchivable>(ofClass cls: Root.Type, from data: Data) throws
    -> Root?
  {
    try ArchivedClasses.unarchive(cls, from: data)
  }

  /// As Foundation's method on Apple's systems, and as safe as `unarchivedObject(ofClass:from:)`.
  public static func unarchivedArrayOfObjects<Element: HKArchivable>(
    ofClass cls: Element.Type, from data: Data
  ) throws -> [Element]? {
    try ArchivedClasses.unarchive(NSArray.self, containing: [cls], from: data) as? [Element]
  }
}
