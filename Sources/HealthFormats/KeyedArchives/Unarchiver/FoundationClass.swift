internal import Foundation

/// The Foundation classes that archives may hold, under the names that they have there.
///
/// `NSDecimalNumber` is not among them: on Linux its `hash` recurses until the stack ends.
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
