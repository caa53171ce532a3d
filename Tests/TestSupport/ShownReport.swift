import Foundation

/// The state of the gateway and its monitors, as a browser gets it from the page.
struct ShownReport: Codable, Sendable {
  struct Gateway: Codable, Sendable {
    var isRunning: Bool
    var onBus: Bool
    var measurements: UInt64?
    var stored: UInt64?
    var duplicates: UInt64?
    var rejected: UInt64?
  }

  struct Beats: Codable, Equatable, Sendable {
    var count: UInt64
    var time: Date
    var rr: [Double]
  }

  struct Monitor: Codable, Sendable {
    var address: String
    var name: String?
    var bonded: Bool
    var enrolled: Date
    var battery: Int?
    var state: String?
    var source: String?
    var advice: String?
    var heartRate: Int?
    var time: Date?
    var age: Double?
    var beats: Beats?

    init(address: String, enrolled: Date) {
      (self.address, self.enrolled) = (address, enrolled)
      bonded = true
    }
  }

  var gateway: Gateway
  var monitors: [Monitor]
}
