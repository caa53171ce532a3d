import Foundation
import HealthFormats
import Testing

/// Tests reading archives that Foundation's archiver wrote.
@Suite struct FoundationArchiveTests {
  private func archived(_ object: Any) throws -> Data {
    try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true)
  }

  @Test func `an object is decoded with all its values`() throws {
    let shape = Circle()
    shape.inner = Shape()
    shape.inner?.name = "inner"
    let data = try archived(shape)
    let result = try SecureUnarchiver.unarchive(Shape.self, from: data, classes: sampleClasses)
    #expect(result is Circle)
    #expect(result == shape)
    #expect(try NSKeyedUnarchiver.unarchivedObject(ofClass: Shape.self, from: data) == shape)
  }

  @Test func `an object referenced twice is decoded as one object`() throws {
    let point = Point(1, 2)
    let result = try SecureUnarchiver.unarchive(
      NSArray.self, containing: [Point.self], from: archived([point, point, Point(1, 3)] as NSArray),
      classes: sampleClasses)
    #expect(result.count == 3)
    #expect(result[0] as? Point === result[1] as? Point)
    #expect(result[0] as? Point !== result[2] as? Point)
  }

  @Test func `Foundation's values are decoded`() throws {
    let values: [any NSObject & NSSecureCoding] = [
      NSString(string: ""), NSString(string: "ä\u{1F600}"), NSNumber(value: true), NSNumber(value: Int64.min),
      NSNumber(value: UInt64.max), NSNumber(value: 0.1), NSDate(timeIntervalSinceReferenceDate: -3),
      NSData(), NSData(data: Data([1, 2])), NSUUID(), NSNull(),
      NSArray(array: ["x", ["y"]]), NSDictionary(dictionary: ["k": 1, "l": ["m": 2]]),
      NSSet(array: [1, 2]), NSOrderedSet(array: ["b", "a"]), NSLocale(localeIdentifier: "de_DE"),
    ]
    for value in values {
      let result = try SecureUnarchiver.unarchive(
        NSArray.self, containing: [type(of: value), NSString.self, NSNumber.self, NSDictionary.self],
        from: archived([value] as NSArray), classes: [:])
      #expect(result[0] as? NSObject == value, "\(type(of: value))")
    }
  }

  @Test func `a date interval is decoded`() throws {
    let interval = NSDateInterval(start: Date(timeIntervalSinceReferenceDate: 1.5), duration: 3)
    let result = try SecureUnarchiver.unarchive(NSDateInterval.self, from: archived(interval), classes: [:])
    #expect(result.startDate == interval.startDate && result.endDate == interval.endDate)
  }

  @Test func `a URL is decoded with its base`() throws {
    let url = try #require(
      NSURL(string: "c?d#e", relativeTo: URL(string: "https://example.org/a/b")))
    let result = try SecureUnarchiver.unarchive(NSURL.self, from: archived(url), classes: [:])
    #expect(result.absoluteString == "https://example.org/a/c?d#e")
    #expect(result.relativeString == "c?d#e")
  }

  @Test func `date components are decoded with time zone and calendar`() throws {
    let components = NSDateComponents()
    components.year = 2024
    components.day = 29
    let zone = try #require(TimeZone(identifier: "Europe/Berlin"))
    var calendar = Calendar(identifier: .iso8601)
    calendar.timeZone = zone
    components.calendar = calendar
    components.timeZone = zone
    let result = try SecureUnarchiver.unarchive(
      NSDateComponents.self, from: archived(components), classes: [:])
    #expect(result.year == 2024 && result.day == 29)
    #expect(result.month == NSDateComponentUndefined)
    #expect(result.timeZone == zone)
    #expect(result.calendar?.identifier == .iso8601)
    #expect(result.calendar?.timeZone == zone)
  }

  @Test func `a dictionary of objects is decoded as a dictionary`() throws {
    let result = try SecureUnarchiver.unarchive(
      NSDictionary.self, containing: [NSString.self, Point.self],
      from: archived(["a": Point(1, 1)] as NSDictionary), classes: sampleClasses)
    #expect(result as? [String: Point] == ["a": Point(1, 1)])
  }
}
