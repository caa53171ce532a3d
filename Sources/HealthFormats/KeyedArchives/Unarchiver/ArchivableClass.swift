public import Foundation

/// A class that can be decoded from an archive.
public typealias ArchivableClass = any (NSObject & NSSecureCoding).Type

/// The class of an object in an archive: one from the caller's table, or a supported Foundation class.
enum ArchivedClass {
  case own(ArchivableClass)
  case foundation(FoundationClass)

  var type: AnyClass {
    switch self {
    case .own(let type): type
    case .foundation(let known): known.type
    }
  }

  /// Returns whether `type` is one of `classes` or a subclass of one.
  static func isKind(_ type: AnyClass, of classes: [AnyClass]) -> Bool {
    var ancestor: AnyClass? = type
    while let current = ancestor {
      if classes.contains(where: { $0 == current }) { return true }
      ancestor = _getSuperclass(current)
    }
    return false
  }
}

/// The supported Foundation classes, with their names in archives.
///
/// `NSDecimalNumber` is not supported, because its `hash` on Linux recurses until the stack overflows.
enum FoundationClass: String {
  case string = "NSString"
  case mutableString = "NSMutableString"
  case data = "NSData"
  case mutableData = "NSMutableData"
  case date = "NSDate"
  case uuid = "NSUUID"
  case url = "NSURL"
  case null = "NSNull"
  case dateInterval = "NSDateInterval"
  case dateComponents = "NSDateComponents"
  case timeZone = "NSTimeZone"
  case calendar = "NSCalendar"
  case locale = "NSLocale"
  case array = "NSArray"
  case mutableArray = "NSMutableArray"
  case set = "NSSet"
  case mutableSet = "NSMutableSet"
  case orderedSet = "NSOrderedSet"
  case mutableOrderedSet = "NSMutableOrderedSet"
  case dictionary = "NSDictionary"
  case mutableDictionary = "NSMutableDictionary"

  var type: AnyClass {
    switch self {
    case .string: NSString.self
    case .mutableString: NSMutableString.self
    case .data: NSData.self
    case .mutableData: NSMutableData.self
    case .date: NSDate.self
    case .uuid: NSUUID.self
    case .url: NSURL.self
    case .null: NSNull.self
    case .dateInterval: NSDateInterval.self
    case .dateComponents: NSDateComponents.self
    case .timeZone: NSTimeZone.self
    case .calendar: NSCalendar.self
    case .locale: NSLocale.self
    case .array: NSArray.self
    case .mutableArray: NSMutableArray.self
    case .set: NSSet.self
    case .mutableSet: NSMutableSet.self
    case .orderedSet: NSOrderedSet.self
    case .mutableOrderedSet: NSMutableOrderedSet.self
    case .dictionary: NSDictionary.self
    case .mutableDictionary: NSMutableDictionary.self
    }
  }

  var isCollection: Bool {
    switch self {
    case .array, .mutableArray, .set, .mutableSet, .orderedSet, .mutableOrderedSet, .dictionary,
      .mutableDictionary:
      true
    default: false
    }
  }
}
