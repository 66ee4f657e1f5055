"""The log of clicks: Redis streams, bounded by length and by age, read by groups at their own pace."""
