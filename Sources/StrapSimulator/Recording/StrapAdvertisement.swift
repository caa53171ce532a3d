/// What a strap advertises: the service, and its name where somebody asks.
struct StrapAdvertisement {
  private static let generalDiscoverableLEOnly: [UInt8] = [2, 0x01, 0x06]
  private static let heartRateService: [UInt8] = [3, 0x03, 0x0D, 0x18]
  private static let longestName = 29

  let data = generalDiscoverableLEOnly + heartRateService
  let scanResponse: [UInt8]

  init(_ strap: StrapProfile) {
    let name = Array(strap.name.utf8.prefix(Self.longestName))
    scanResponse = [UInt8(name.count + 1), 0x09] + name
  }
}
