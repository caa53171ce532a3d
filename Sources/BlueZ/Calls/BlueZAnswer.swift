/// How a call ended.
enum BlueZAnswer: Sendable {
  case done
  case value([UInt8])
  case failed(BlueZError)
}
