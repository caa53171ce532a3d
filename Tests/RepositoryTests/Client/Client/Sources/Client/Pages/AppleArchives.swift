import Foundation
import HealthKit

/// Reads a hand-made archive of a sample that uses the keys of Apple's framework.
enum AppleArchives: Page {
  private static let heartRate = """
    YnBsaXN0MDDUAQIDBAUGgYRZJGFyY2hpdmVyWCRvYmplY3RzVCR0b3BYJHZlcnNpb25fEA9OU0tleWVkQXJjaGl2
    ZXKvECAHCB0jJygUKSotNzg5PEJDREVIN1JDU1ZgZWlqbnJ1e1UkbnVsbNoJCgsMDQ4PEBESExQVFhcYGRobHFYk
    Y2xhc3NVQ291bnRYRGF0YVR5cGVWRGV2aWNlVUVuZFRTWE1ldGFkYXRhWFF1YW50aXR5XlNvdXJjZVJldmlzaW9u
    V1N0YXJ0VFNUVVVJRIAfEAGAGYAXI0HFghRAoAAAgAmAHoASI0HFghRAQAAAgAPSHh8gIVgkY2xhc3Nlc1okY2xh
    c3NuYW1loiEiVk5TVVVJRFhOU09iamVjdNIJJCUmXE5TLnV1aWRieXRlc4ACTxAQTQ4rXIpBT26cUwuPXg16EV8Q
    GUhLSGVhcnRSYXRlU2Vuc29yTG9jYXRpb25Ubm90ZV8QEGFmdGVyIHRoZSBzdGFpcnPSHh8rLKIsIlxOU0RpY3Rp
    b25hcnnTCS4vMDE0V05TLmtleXNaTlMub2JqZWN0c4AIojIzgASABaI1NoAGgAdVV2F0Y2hfEBVjb20uYXBwbGUu
    aGVhbHRoLjAwMDHSHh86O6I7IlhIS1NvdXJjZdMJPT4/QEFfEBBCdW5kbGVJZGVudGlmaWVyVE5hbWWADIALgApU
    MTAuMVhXYXRjaDYsMVYxMC4xLjHSHh9GR6JHIl8QEEhLU291cmNlUmV2aXNpb27VCUlKS0xNTk9QUV8QFk9wZXJh
    dGluZ1N5c3RlbVZlcnNpb25bUHJvZHVjdFR5cGVWU291cmNlV1ZlcnNpb26AEYAQgA+ADYAOVU1ha2Vy0h4fVFWi
    VSJYSEtEZXZpY2XVCVdYWVpbXF1eX1hoYXJkd2FyZVxtYW51ZmFjdHVyZXJVbW9kZWxUbmFtZYAWgBWAFIAAgBPS
    Hh9hYqRiY2QiXkhLUXVhbnRpdHlUeXBlXEhLU2FtcGxlVHlwZVxIS09iamVjdFR5cGXSCWZnaFRDb2RlgBgQBVlj
    b3VudC9taW7SHh9rbKNsbSJfEA9fSEtDb21wb3VuZFVuaXRWSEtVbml00glvcHFfEA9IS1VuaXRTdHJpbmdLZXmA
    G4Aa0h4fc3SidCJaSEtRdWFudGl0edMJdnd4eXpXVW5pdEtleVhWYWx1ZUtleYAdgBwjQFIAAAAAAADSHh98faV9
    fn+AIl8QGEhLRGlzY3JldGVRdWFudGl0eVNhbXBsZV8QEEhLUXVhbnRpdHlTYW1wbGVYSEtTYW1wbGVYSEtPYmpl
    Y3TRgoNUcm9vdIABEgABhqAACAARABsAJAApADIARABnAG0AggCJAI8AmACfAKUArgC3AMYAzgDTANUA1wDZANsA
    5ADmAOgA6gDzAPUA+gEDAQ4BEQEYASEBJgEzATUBSAFkAWkBfAGBAYQBkQGYAaABqwGtAbABsgG0AbcBuQG7AcEB
    2QHeAeEB6gHxAgQCCQILAg0CDwIUAh0CJAIpAiwCPwJKAmMCbwJ2An4CgAKCAoQChgKIAo4CkwKWAp8CqgKzAsAC
    xgLLAs0CzwLRAtMC1QLaAt8C7gL7AwgDDQMSAxQDFgMgAyUDKQM7A0IDRwNZA1sDXQNiA2UDcAN3A38DiAOKA4wD
    lQOaA6ADuwPOA9cD4APjA+gD6gAAAAAAAAIBAAAAAAAAAIUAAAAAAAAAAAAAAAAAAAPv
    """

  static func run() async throws {
    guard let data = Data(base64Encoded: heartRate, options: .ignoreUnknownCharacters) else {
      throw ExpectationError(description: "no data")
    }
    let sample = try NSKeyedUnarchiver.unarchivedObject(ofClass: HKQuantitySample.self, from: data)
    let unit = HKUnit.count().unitDivided(by: .minute())
    try expect(sample?.quantityType == HKQuantityType(.heartRate), "the type")
    try expect(sample?.quantity.doubleValue(for: unit) == 72, "the quantity")
    try expect(sample?.sourceRevision.source.bundleIdentifier == "com.apple.health.0001", "the source")
    try expect(sample?.metadata?["note"] as? String == "after the stairs", "the metadata")

    // The sample can be archived again, and that archive can be read too.
    guard let sample else { return }
    let again = try NSKeyedArchiver.archivedData(withRootObject: sample, requiringSecureCoding: true)
    let same = try NSKeyedUnarchiver.unarchivedObject(ofClass: HKQuantitySample.self, from: again)
    try expect(same == sample && same?.startDate == sample.startDate, "the archive of it")
  }
}
