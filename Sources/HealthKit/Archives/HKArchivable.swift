public import Foundation
import HealthFormats

/// A class of this module that is archived under Apple's class name.
///
/// Do not adopt this protocol in other modules. It is not part of Apple's framework.
public protocol HKArchivable: NSObject, NSSecureCoding {}

extension NSKeyedArchiver {
  /// Archives an object under Apple's class names.
  ///
  /// Behaves like Foundation's method, but writes class names without a module, so that Apple's framework and
  /// other programs find the classes.
  public static func archivedData<Root: HKArchivable>(
    withRootObject object: Root, requiringSecureCoding requiresSecureCoding: Bool
  ) throws -> Data {
    _ = ArchivedClasses.areKnownToFoundation
    let data = try archivedData(withRootObject: object as Any, requiringSecureCoding: requiresSecureCoding)
    return try ArchivedClasses.plainNames.applied(to: data)
  }
}

extension NSKeyedUnarchiver {
  /// Decodes an object from an archive.
  ///
  /// Behaves like Foundation's method, but is safe for archives from untrusted sources. The archive cannot
  /// choose which class to instantiate, and no content can crash the process. Foundation's own method on
  /// Linux traps on an unexpected class.
  ///
  /// ```swift
  /// let data = try NSKeyedArchiver.archivedData(withRootObject: sample, requiringSecureCoding: true)
  /// let copy = try NSKeyedUnarchiver.unarchivedObject(ofClass: HKQuantitySample.self, from: data)
  /// ```
  /// - Throws: An error that says where the archive is malformed.
  public static func unarchivedObject<Root: HKArchivable>(ofClass cls: Root.Type, from data: Data) throws
    -> Root?
  {
    try ArchivedClasses.unarchive(cls, from: data)
  }

  /// Decodes an array of objects of one class.
  ///
  /// Foundation has this method on Apple's systems only. It is as safe as `unarchivedObject(ofClass:from:)`.
  ///
  /// ```swift
  /// let array = samples as NSArray
  /// let data = try NSKeyedArchiver.archivedData(withRootObject: array, requiringSecureCoding: true)
  /// let copies = try NSKeyedUnarchiver.unarchivedArrayOfObjects(ofClass: HKQuantitySample.self, from: data)
  /// ```
  public static func unarchivedArrayOfObjects<Element: HKArchivable>(
    ofClass cls: Element.Type, from data: Data
  ) throws -> [Element]? {
    try ArchivedClasses.unarchive(NSArray.self, containing: [cls], from: data) as? [Element]
  }
}
