// Programs that import CoreLocation also get Foundation's Date, as on Apple's systems.
@_exported public import Foundation

/// A latitude or longitude in degrees.
public typealias CLLocationDegrees = Double
/// A distance in meters.
public typealias CLLocationDistance = Double
/// The accuracy of a location in meters. Negative if unknown.
public typealias CLLocationAccuracy = Double
/// A speed in meters per second. Negative if unknown.
public typealias CLLocationSpeed = Double
/// The accuracy of a speed in meters per second. Negative if unknown.
public typealias CLLocationSpeedAccuracy = Double
/// A direction in degrees clockwise from true north. Negative if unknown.
public typealias CLLocationDirection = Double
/// The accuracy of a direction in degrees. Negative if unknown.
public typealias CLLocationDirectionAccuracy = Double

/// The largest distance that can be represented.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let CLLocationDistanceMax: CLLocationDistance = .greatestFiniteMagnitude

// Accuracies that a program requests from Apple's location manager. Linux has no such manager, so the
// constants have no effect. They only let programs that use them compile.

/// The best accuracy, with the help of additional sensors.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let kCLLocationAccuracyBestForNavigation: CLLocationAccuracy = -2
/// The best accuracy.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let kCLLocationAccuracyBest: CLLocationAccuracy = -1
/// An accuracy of 10 meters.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let kCLLocationAccuracyNearestTenMeters: CLLocationAccuracy = 10
// swift-format-ignore: AlwaysUseLowerCamelCase
public let kCLLocationAccuracyHundredMeters: CLLocationAccuracy = 100
// swift-format-ignore: AlwaysUseLowerCamelCase
public let kCLLocationAccuracyKilometer: CLLocationAccuracy = 1000
// swift-format-ignore: AlwaysUseLowerCamelCase
public let kCLLocationAccuracyThreeKilometers: CLLocationAccuracy = 3000
/// The distance filter that reports every movement.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let kCLDistanceFilterNone: CLLocationDistance = -1
