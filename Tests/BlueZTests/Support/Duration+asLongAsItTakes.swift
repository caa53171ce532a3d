extension Duration {
  /// A timeout for tests that do not test timeouts: on a busy machine, a scripted bluetoothd may take longer
  /// for its first reply than a real one.
  static let asLongAsItTakes = Duration.seconds(600)
}
