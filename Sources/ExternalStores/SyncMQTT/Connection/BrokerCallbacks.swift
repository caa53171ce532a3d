internal import CMosquitto

/// The callbacks of libmosquitto. They run on the ``BrokerThread`` that created the client.
enum BrokerCallbacks {
  static func set(_ client: OpaquePointer) {
    mosquitto_connect_v5_callback_set(client) { _, context, code, _, properties in
      var size: UInt32 = 0
      mosquitto_property_read_int32(
        properties, Int32(MQTT_PROP_MAXIMUM_PACKET_SIZE.rawValue), &size, false)
      BrokerCallbacks.thread(context)?.didConnect(code, maximumPacketSize: size)
    }
    mosquitto_disconnect_v5_callback_set(client) { _, context, code, _ in
      BrokerCallbacks.thread(context)?.didDisconnect(code)
    }
    mosquitto_publish_v5_callback_set(client) { _, context, mid, code, _ in
      BrokerCallbacks.thread(context)?.didPublish(mid, ReasonCode(rawValue: UInt8(truncatingIfNeeded: code)))
    }
    mosquitto_subscribe_v5_callback_set(client) { _, context, mid, count, granted, _ in
      guard count > 0, let granted else { return }
      BrokerCallbacks.thread(context)?.didSubscribe(
        mid, ReasonCode(rawValue: UInt8(truncatingIfNeeded: granted[0])))
    }
    mosquitto_message_v5_callback_set(client) { _, context, message, _ in
      guard let message = message?.pointee, let topic = message.topic else { return }
      let payload = UnsafeRawBufferPointer(start: message.payload, count: Int(max(0, message.payloadlen)))
      BrokerCallbacks.thread(context)?.didReceive(
        ReceivedMessage(
          topic: String(cString: topic), payload: Array(payload), isRetained: message.retain))
    }
    mosquitto_log_callback_set(client) { _, context, level, line in
      guard level == MOSQ_LOG_ERR, let line else { return }
      BrokerCallbacks.thread(context)?.didLog(String(cString: line))
    }
  }

  private static func thread(_ context: UnsafeMutableRawPointer?) -> BrokerThread? {
    context.map { Unmanaged<BrokerThread>.fromOpaque($0).takeUnretainedValue() }
  }
}
